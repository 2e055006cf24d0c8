/** Keeps a tree whose archive is never finished, says so, and waits to be killed. Run by installed_trees_test.ts. */
import { writeFile } from "node:fs/promises";
import process from "node:process";
import { openTreeStore } from "../../../src/plugin/installed_trees/tree_store.ts";

const [folder, key] = process.argv.slice(2) as [string, string];
setInterval(() => {}, 1000);
await openTreeStore(folder).keep({ key, name: "p@1.0.0", families: [] }, async (path) => {
  await writeFile(path, "half of it");
  console.log("writing");
  await new Promise(() => {});
});
