/** Unpacks a kept tree in an environment on the host, says where half-way, and waits to be killed. Run by installed_trees_test.ts. */
import { join } from "node:path";
import process from "node:process";
import { Readable } from "node:stream";
import { treeWays } from "../../../src/plugin/installed_trees/tree_access.ts";
import { openTreeStore } from "../../../src/plugin/installed_trees/tree_store.ts";
import host from "../../../src/runtimes/host.ts";

const [folder, key] = process.argv.slice(2) as [string, string];
setInterval(() => {}, 1000);
const runtime = host.create();
const environmentId = "restoring";
const spec = { environmentId, sessionId: "killed", tier: 1 as const, env: {}, resources: {} };
const handle = await runtime.provision(spec);
const store = openTreeStore(folder);
await store.read((await store.find(key))!, async (archive) => {
  async function* half() {
    for await (const piece of archive) {
      yield piece;
      break;
    }
    console.log(handle.sourcePath);
    await new Promise(() => {});
  }
  const { unpack } = treeWays(runtime, handle);
  await unpack(Readable.from(half()), join(handle.sourcePath, ".pth-tree-aside"));
});
