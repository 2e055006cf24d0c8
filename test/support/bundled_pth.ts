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
import { data, rare } from "../../scripts/bundle.mjs";
import { root } from "./root.ts";

const folder = join(root, ".build/pth");
const parts = [
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
export const pthCommandLine = (entry: "cli" | "main", ...args: string[]): [string, ...string[]] => {
  const sources = process.env["PTH_TEST_SOURCES"] || process.env["DENO_COVERAGE_DIR"];
  const file = sources ? join(root, `src/${entry}.ts`) : join(made ??= bundleOfSources(), `${entry}.js`);
  return [process.execPath, "run", "-A", file, ...args];
};

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
  const bundling = ["scripts/bundle.mjs", "--out", draft];
  const { status, stderr } = spawnSync("node", bundling, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`Cannot bundle PTH for its tests: node ${bundling.join(" ")}: ${stderr}`);
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
