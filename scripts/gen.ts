/** Writes the generated files: `deno task gen`. */
import { join } from "node:path";
import { readTextIfExists, writeTextAtomically } from "../src/platform/files.ts";
import { generate } from "./gen/generate.ts";

const root = join(import.meta.dirname!, "..");
for (const { path, text } of await generate(root)) {
  if (await readTextIfExists(join(root, path)) === text) continue;
  await writeTextAtomically(join(root, path), text);
  console.log(`wrote ${path}`);
}
