/**
 * Types: checked by the native TypeScript compiler, which takes a third of the processor time of `deno check` and looks
 * again only at what a change reaches (`.build/types/`).
 *
 * The declarations are those of the Deno that runs this; the strictness is that of deno.json, which editors read.
 */
import { join } from "node:path";
import { availableParallelism } from "node:os";
import {
  mkdir,
  pathExists,
  readTextFile,
  readTextIfExists,
  writeTextAtomically,
} from "../../src/platform/files.ts";
import { runCommand } from "../../src/platform/process.ts";
import { runTsc } from "../compile.ts";
import { defineCheck } from "./check.ts";

/** The folders whose types count; fixtures are packages of their own and check themselves when they build. */
const typed = [
  "src",
  "machines",
  "scripts",
  "test/src",
  "test/machines",
  "test/contracts",
  "test/integration",
];

export default defineCheck({
  name: "types",
  async run({ root }) {
    const folder = join(root, ".build/types");
    await mkdir(folder, { recursive: true });
    const declarations = await denoDeclarations(folder);
    await writeIfOther(join(folder, "tsconfig.json"), JSON.stringify(await project(root, declarations)));
    // Each further checker looks at shared types once more: worth it where processors idle.
    const checkers = Math.max(1, Math.floor(availableParallelism() / 2));
    const result = await runTsc(root, [
      "--project",
      folder,
      "--checkers",
      `${checkers}`,
      "--pretty",
      "false",
    ]);
    return result.code === 0
      ? []
      : result.stdout.trimEnd().split(/\n(?=\S)/).concat(result.stderr).filter(Boolean);
  },
});

/** The project that stands for what `deno check` does with deno.json. */
async function project(root: string, declarations: string): Promise<unknown> {
  const { compilerOptions } = JSON.parse(await readTextFile(join(root, "deno.json")));
  const there = await Promise.all(typed.map((path) => pathExists(join(root, path))));
  return {
    compilerOptions: {
      ...compilerOptions,
      target: "esnext",
      module: "nodenext",
      lib: ["esnext"],
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")],
      allowImportingTsExtensions: true,
      allowJs: true,
      checkJs: false,
      skipLibCheck: true,
      noEmit: true,
      incremental: true,
      tsBuildInfoFile: "./tsbuildinfo",
    },
    files: [declarations],
    include: typed.filter((_, index) => there[index]).map((path) => join(root, path)),
    exclude: ["**/node_modules"],
  };
}

/** The file with the declarations of this Deno's namespace, written once for each version. */
async function denoDeclarations(folder: string): Promise<string> {
  const path = join(folder, `deno-${Deno.version.deno}.d.ts`);
  if (await pathExists(path)) return path;
  const { code, stdout, stderr } = await runCommand([Deno.execPath(), "types"]);
  if (code !== 0) {
    throw new Error(`Cannot read Deno's declarations: deno types exited with ${code}\n${stderr}`);
  }
  await writeTextAtomically(path, stdout);
  return path;
}

async function writeIfOther(path: string, text: string): Promise<void> {
  if (await readTextIfExists(path) !== text) await writeTextAtomically(path, text);
}
