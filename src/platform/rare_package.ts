/**
 * npm packages with native parts that few sessions need. Where packages lie beside the code they are imported like others. A
 * bundle has none of them: npm installs one into the bundle's folder when it is first needed, in the version of PTH's lock
 * file, without its scripts.
 */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { messageOf, PthError } from "../errors.ts";
import { copyFile, exists, makeTempDir, mkdir, readDir, readTextFile, removeIfExists } from "./files.ts";
import { rename, stat, writeTextFile } from "./files.ts";
import { env } from "./host.ts";
import { log } from "./log.ts";
import { isBundled, ownFile } from "./own_files.ts";
import { run } from "./process.ts";

export interface RarePackage<Module> {
  name: string;
  /** For people: "draws pictures". */
  purpose: string;
  /** Imports it where packages lie beside the code. */
  load(): Promise<Module>;
}

/** How long npm may take, in milliseconds. */
const limitMs = 120_000;
const options = [
  "--ignore-scripts",
  "--omit=dev",
  "--include=optional",
  "--no-audit",
  "--no-fund",
  "--no-update-notifier",
  "--loglevel=error",
  // A registry that does not answer is told of in seconds, not minutes.
  "--fetch-retries=1",
  "--fetch-retry-mintimeout=1000",
  "--fetch-timeout=30000",
];

const loading = new Map<string, Promise<unknown>>();

/**
 * Loaded once; after a failure the next use tries again.
 * @param tell is told when npm starts
 * @throws {PthError} `INSTALL_FAILED` where npm is missing, reaches no registry or cannot write
 */
export async function rarePackage<Module>(
  rare: RarePackage<Module>,
  tell: (text: string) => void = (text) => log.info(text),
): Promise<Module> {
  if (!isBundled()) return await rare.load();
  let module = loading.get(rare.name);
  if (module === undefined) {
    module = loadInstalled(rare, tell);
    loading.set(rare.name, module);
    module.catch(() => loading.delete(rare.name));
  }
  return await module as Module;
}

async function loadInstalled({ name, purpose }: RarePackage<unknown>, tell: (text: string) => void) {
  const folder = ownFile(join("rare", name.replace("/", "+")));
  try {
    if (!(await exists(folder))) {
      tell(`Installing ${name}, which ${purpose}: once, some seconds`);
      await install(name, folder);
    }
  } catch (cause) {
    throw failed(`Cannot install ${name}, which ${purpose}`, cause);
  }
  try {
    return await import(pathToFileURL(createRequire(join(folder, "package.json")).resolve(name)).href);
  } catch (cause) {
    const next = [`Remove ${folder}: the next use installs it again`];
    throw new PthError("INSTALL_FAILED", `Cannot load ${name}: ${messageOf(cause)}`, { next }, { cause });
  }
}

/** Made beside its place and moved there whole, so that nobody finds half of it. */
async function install(name: string, folder: string): Promise<void> {
  const parent = ownFile("rare");
  await mkdir(parent, { recursive: true });
  await removeAbandoned(parent);
  const staging = await makeTempDir({ dir: parent, prefix: ".staging-" });
  try {
    await writeTextFile(join(staging, "package.json"), await manifestOf(name));
    // npm takes from the lock file what the package needs, and leaves the rest out.
    await copyFile(ownFile("package-lock.json"), join(staging, "package-lock.json"));
    await runNpm(staging);
    await rename(staging, folder).catch(async (error) => {
      if (!(await exists(folder))) throw error; // else another process was sooner
    });
  } finally {
    await removeIfExists(staging);
  }
}

async function manifestOf(name: string): Promise<string> {
  const lock: { packages: Record<string, { version: string }> } = JSON.parse(
    await readTextFile(ownFile("package-lock.json")),
  );
  return JSON.stringify({
    private: true,
    dependencies: { [name]: lock.packages[`node_modules/${name}`]!.version },
  });
}

async function runNpm(folder: string): Promise<void> {
  const command = ["npm", "install", ...options];
  // Whoever starts Node by its path need not have npm, which lies beside it, on PATH.
  const PATH = `${env("PATH") ?? ""}:${dirname(process.execPath)}`;
  const signal = AbortSignal.timeout(limitMs);
  const { code, stderr, stdout } = await run(command, { cwd: folder, env: { PATH }, signal });
  if (code === 0) return;
  const output = (stderr || stdout).trim().slice(-4000);
  throw new PthError("INSTALL_FAILED", `npm ended with ${code}`, { output, tried: [command.join(" ")] });
}

/** What a process left that was killed while it installed. */
async function removeAbandoned(parent: string): Promise<void> {
  for await (const { name } of readDir(parent)) {
    if (!name.startsWith(".staging-")) continue;
    const path = join(parent, name);
    const { mtime } = await stat(path);
    if (mtime !== null && Date.now() - mtime.getTime() > 5 * limitMs) await removeIfExists(path);
  }
}

function failed(action: string, cause: unknown): PthError {
  const context = cause instanceof PthError ? cause.context : {};
  const state = cause instanceof DOMException ? `npm took more than ${limitMs / 1000} s` : messageOf(cause);
  const isMissing = cause instanceof PthError && cause.code === "EXEC_FAILED";
  const mend = isMissing
    ? "Install npm, which comes with Node.js"
    : "Look whether npm reaches its registry: npm ping";
  return new PthError("INSTALL_FAILED", `${action}: ${state}`, {
    ...context,
    next: [mend, "Then ask again: the next use tries it anew"],
  }, { cause });
}
