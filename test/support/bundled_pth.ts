/**
 * PTH in a bundle, as an installed plugin has it, for the many processes that tests start: their imports take a third of the
 * time that those of the sources take. `PTH_TEST_SOURCES=1` starts the sources instead; so does a run that measures coverage.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { data, rare } from "../../scripts/bundle.mjs";
import { root } from "./root.ts";

/** Programs of the bundle, by their source; the last is of the tests alone. */
const programs = {
  cli: "src/cli.ts",
  main: "src/main.ts",
  cli_in_turn: "test/support/programs/cli_in_turn.ts",
};
const folder = join(root, ".build/pth");
const parts = [
  programs.cli_in_turn,
  "src",
  "machines",
  "docs",
  "package.json",
  "package-lock.json",
  "scripts/bundle.mjs",
  "scripts/prebuild.ts",
  ...data,
];
/** Another run of tests may still start what was made before. */
const keptMs = 24 * 3_600_000;

let made: string | undefined;

/** The command line of `pth` (`cli`) or of the MCP server (`main`), on Deno. */
export const pthCommandLine = (entry: "cli" | "main", ...args: string[]): [string, ...string[]] => [
  process.execPath,
  "run",
  "-A",
  programFile(entry),
  ...args,
];

/** The file that starts a program: in the bundle, or among the sources. */
export function programFile(program: keyof typeof programs): string {
  const sources = process.env["PTH_TEST_SOURCES"] || process.env["DENO_COVERAGE_DIR"];
  return sources ? join(root, programs[program]) : join(made ??= bundleOfSources(), `${program}.js`);
}

/** The folder of the bundle that belongs to the sources as they are now; the first who asks makes it. */
function bundleOfSources(): string {
  const bundle = join(folder, hashOfSources());
  mkdirSync(folder, { recursive: true });
  // Another user starts it, too, and a private folder of PTH may have made this one first.
  chmodSync(join(folder, ".."), 0o755);
  if (existsSync(bundle)) return bundle;
  using lock = Deno.openSync(`${folder}.lock`, { create: true, write: true });
  lock.lockSync(true);
  if (existsSync(bundle)) return bundle;
  removeOld();
  const draft = `${bundle}.draft`;
  rmSync(draft, { recursive: true, force: true });
  const { cli_in_turn } = programs;
  const where = { root, packages: join(root, "node_modules"), out: draft, modules: { cli_in_turn } };
  const bundler = pathToFileURL(join(root, "scripts/bundle.mjs")).href;
  const script = `import { bundle } from ${JSON.stringify(bundler)}; await bundle(${JSON.stringify(where)});`;
  const bundling = ["--input-type=module", "--eval", script];
  const { status, stderr } = spawnSync("node", bundling, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`Cannot bundle PTH for its tests: ${stderr}`);
  addPackages(draft);
  renameSync(draft, bundle);
  return bundle;
}

/** What an installation gets from the registry when it is first needed lies here already. */
function addPackages(bundle: string): void {
  copyFileSync(join(root, "deno.json"), join(bundle, "deno.json"));
  mkdirSync(join(bundle, "rare"));
  for (const name of rare) symlinkSync(root, join(bundle, "rare", name.replace("/", "+")));
}

function hashOfSources(): string {
  const hash = createHash("sha256");
  for (const part of parts) {
    for (const file of filesIn(join(root, part))) hash.update(`${file}\0`).update(readFileSync(file));
  }
  return hash.digest("hex").slice(0, 16);
}

function filesIn(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}

function removeOld(): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (Date.now() - statSync(path).mtimeMs > keptMs) rmSync(path, { recursive: true, force: true });
  }
}
