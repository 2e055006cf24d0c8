/** Writes the generated files: `deno task gen`. */
import { join } from "node:path";
import process from "node:process";
import { stripVTControlCharacters } from "node:util";
import { readTextIfExists, writeTextAtomically } from "../src/platform/files.ts";
import type { GeneratedFile } from "./gen/generated_file.ts";
import { registryFiles } from "./gen/registries.ts";

const root = join(import.meta.dirname!, "..");
try {
  // Registries come first: what is imported after that is made by them.
  await write(await registryFiles(root));
  const { loadDefinitions } = await import("./gen/load_definitions.ts");
  const definitions = await loadDefinitions(root);
  const { generate } = await import("./gen/generate.ts");
  await write(await generate(root, definitions));
} catch (error) {
  const reason = stripVTControlCharacters(error instanceof Error ? error.message : String(error));
  console.error(`Cannot generate all files:\n${reason.replace(/^/gm, "  ")}\nThen run deno task gen again.`);
  process.exitCode = 1;
}

async function write(files: readonly GeneratedFile[]): Promise<void> {
  for (const { path, text } of files) {
    if (await readTextIfExists(join(root, path)) === text) continue;
    await writeTextAtomically(join(root, path), text);
    console.log(`wrote ${path}`);
  }
}
