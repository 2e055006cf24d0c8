/** Installs a plugin's dependencies inside the environment, unless what is there already fits. */
import type { PluginPlan } from "../../machines/model/plugin.ts";
import { PthError } from "../core/errors.ts";
import { npmInstall } from "./build_system.ts";
import { type EnvironmentAccess, insideFolder } from "./environment_access.ts";
import { type LoadReport, type LoadStepOptions, runStep } from "./run_step.ts";
import { installScripts, type PackageJson, readPackageJson } from "./package_json.ts";
import { binsOf, chooseExecutable, interpreterCommand } from "./find_start.ts";
import { ensureToolchains, toolchainsOf } from "./toolchains.ts";
import {
  type EarlyFacts,
  findInstalledTree,
  nodeRangeOf,
  readInstallFacts,
  restoredText,
} from "./installed_trees/find_installed_tree.ts";
import type { InstallFacts } from "./installed_trees/tree_access.ts";
import { fittingNode } from "./installed_trees/fitting_node.ts";
import { hasNpm, readPlaceFacts } from "./installed_trees/place_facts.ts";
import { pathFolders, withPath, withServerPath } from "./with_path.ts";
import { dirname } from "node:path";
import { createHash } from "node:crypto";

/**
 * Toolchains, then the install command. For an `npm:` package the report's plan knows its version and its bin.
 * @throws {PthError} `INSTALL_FAILED` with the whole output, `TOOLCHAIN_MISSING`, `TARGET_NOT_FOUND` for an unknown package,
 * `SERVER_AMBIGUOUS`
 */
export async function installPlugin(
  plan: PluginPlan,
  env: EnvironmentAccess,
  options: LoadStepOptions = {},
): Promise<LoadReport> {
  const started = performance.now();
  const { trees } = options;
  const readFacts = async () =>
    trees !== undefined && pathFolders(plan).length > 0
      ? await readInstallFacts(plan, env, trees, options)
      : undefined;
  let before = await readFacts();
  try {
    const toolchains = [...plan.build?.toolchains ?? [], ...starterOf(plan)];
    const known = before?.isNew && hasNpm(before.facts) ? ["npm"] : [];
    const missing = toolchains.filter((name) => !known.includes(name));
    const brought = await ensureToolchains(env, missing, pick(options));
    if (before !== undefined && brought.length > 0) {
      await before.early?.drop();
      before = await readFacts();
    }
    const report = await installWith(plan, env, options, before);
    return { ...report, durationMs: performance.now() - started };
  } finally {
    await before?.early?.drop();
  }
}

async function installWith(
  plan: PluginPlan,
  env: EnvironmentAccess,
  options: LoadStepOptions,
  before: EarlyFacts | undefined,
): Promise<Omit<LoadReport, "durationMs">> {
  const prepared = before === undefined ? plan : await withFittingNode(plan, env, options, before);
  const inside = prepared.node === undefined ? env : withPath(env, [prepared.node]);
  // The Node that was brought in is another place for what is installed.
  const facts = prepared.node === undefined ? before?.facts : await readPlaceFacts(inside, plan.folder);
  const known = facts && { ...before!, facts };
  const { output, skipped, stamp } = await install(prepared, inside, options, known);
  const [named] = await Promise.all([
    plan.source.startsWith("npm:") ? withPackage(prepared, env, options) : prepared,
    stamp?.(),
  ]);
  const complete = await withServerPath(named, env, before?.facts.path);
  return { plan: complete, output, ...(skipped === undefined ? {} : { skipped }) };
}

async function withFittingNode(
  plan: PluginPlan,
  env: EnvironmentAccess,
  { trees, signal, onOutput }: LoadStepOptions,
  before: InstallFacts,
): Promise<PluginPlan> {
  const range = trees && await nodeRangeOf(plan, trees, before);
  if (trees === undefined || range === undefined) return plan;
  const { facts } = before;
  const tell = onOutput && ((text: string) => onOutput(text, "stdout"));
  const found = await fittingNode({ env, trees, facts, name: plan.name, range, signal, tell });
  if (found === undefined) return plan;
  const notes = [...plan.notes ?? [], found.note];
  return { ...plan, notes, ...(found.bin === undefined ? {} : { node: found.bin }) };
}

/** Answers with what is left to do once it is done: to write the stamp. */
async function install(
  plan: PluginPlan,
  env: EnvironmentAccess,
  options: LoadStepOptions,
  known: EarlyFacts | undefined,
): Promise<{ output: string; skipped?: string; stamp?: () => Promise<void> }> {
  const command = plan.build?.install;
  if (command === undefined) return { output: "", skipped: "nothing to install" };
  const cache = cacheFolder(plan);
  if (cache === undefined) return { output: await runStep("install", command, plan, env, options) };
  const isEmpty = known?.isNew === true && !known.facts.hasPackages;
  const stamps = isEmpty ? undefined : await readStamps(plan, cache, env);
  const found = stamps?.found;
  if (found !== undefined && isSame(found, stamps!.current)) {
    return { output: "", skipped: `${cache} is up to date` };
  }
  // The manifest of an `npm:` target is PTH's own, and names the package.
  if (command === npmInstall && !plan.source.startsWith("npm:") && !await npmHasWork(plan.folder, env)) {
    // What an install brought when there still were dependencies is none of the plugin's any more.
    if (found !== undefined) await env.exec(["rm", "-rf", cache], { cwd: plan.folder });
    return {
      output: "",
      skipped: "npm install is not needed: package.json has no dependencies and no install scripts",
    };
  }
  // Made in another image or at another path: what was compiled there does not run here. Else only the stamp goes: an
  // install that fails half-way fits nothing, not even what was there before.
  if (found !== undefined) {
    const outdated = found.place === stamps!.current.place ? stampIn(cache) : cache;
    await env.exec(["rm", "-rf", outdated], { cwd: plan.folder });
  }
  const tree = found === undefined && known !== undefined
    ? await findInstalledTree(plan, env, options, known)
    : undefined;
  const restored = await tree?.restore(stampLook(plan, cache, env));
  if (restored === undefined) await tree?.begin();
  const complete = restored?.incomplete === false;
  const output = complete ? "" : await runStep("install", command, plan, env, options);
  if (restored === undefined) await tree?.keep();
  const stamp = () => writeStamp(plan, cache, env, complete ? restored.seen : undefined);
  return { output, stamp, ...(restored && { skipped: restoredText(restored, command) }) };
}

/** The installed package says what is started. */
async function withPackage(
  plan: PluginPlan,
  env: EnvironmentAccess,
  options: LoadStepOptions,
): Promise<PluginPlan> {
  const folder = insideFolder(env, `${plan.folder}/node_modules/${plan.name}`);
  const manifest = await readPackageJson(folder);
  if (manifest === undefined) {
    throw new PthError(
      "INSTALL_FAILED",
      `Cannot find ${plan.name} after the install: node_modules has no such package`,
      {
        tried: [plan.build?.install ?? "no install command"],
        next: [{
          terminal: 'Give another install command: --install "<command>"',
          mcp: 'Give another install command: pth_load_plugin({ install: "<command>" })',
        }],
      },
    );
  }
  const version = manifest.version === undefined ? {} : { version: manifest.version };
  if (plan.server.command === undefined || plan.server.command.length > 0) return { ...plan, ...version };
  const command = [...packageCommand(plan, manifest), ...options.args ?? []];
  return { ...plan, ...version, server: { ...plan.server, command } };
}

function packageCommand(plan: PluginPlan, manifest: PackageJson): string[] {
  const bins = Object.keys(binsOf(manifest));
  const bin = chooseExecutable(bins, manifest.name, plan.serverName);
  if (bin !== undefined) return [`${plan.folder}/node_modules/.bin/${bin}`];
  if (manifest.main !== undefined) {
    return interpreterCommand(`${plan.folder}/node_modules/${plan.name}/${manifest.main}`);
  }
  throw new PthError(
    "START_FAILED",
    `Cannot start ${plan.source}: the package has neither a bin nor a main`,
    {
      next: [{
        terminal: 'Give the start command: --command "<command>"',
        mcp: 'Give the start command: pth_load_plugin({ command: ["<program>", "<argument>"] })',
      }],
    },
  );
}

/** A server's program may be a toolchain of its own: `python3 server.py` without anything to install. */
function starterOf({ server }: PluginPlan): string[] {
  return toolchainsOf((server.command ?? []).slice(0, 1));
}

const pick = ({ signal, onOutput }: LoadStepOptions) => ({
  ...(signal === undefined ? {} : { signal }),
  ...(onOutput === undefined ? {} : { onOutput }),
});

/** Parts of a manifest that have npm bring something. */
const bringing = [
  "dependencies",
  "devDependencies",
  "optionalDependencies",
  "peerDependencies",
  "workspaces",
] as const;

/**
 * False where package.json tells neither dependencies nor scripts that an install runs, and no manifest above it, up to the
 * source's folder, makes a workspace of it. A manifest that is missing or broken is left to npm's own words.
 */
async function npmHasWork(folder: string, env: EnvironmentAccess): Promise<boolean> {
  try {
    const place = insideFolder(env, folder);
    const manifest = await readPackageJson(place);
    // npm compiles what a binding.gyp describes without any script that says so.
    return manifest === undefined || asksForMore(manifest) || await place.exists("binding.gyp") ||
      await inWorkspace(folder, env);
  } catch (error) {
    if (error instanceof PthError && error.code === "INVALID_CONFIG") return true;
    throw error;
  }
}

const asksForMore = (manifest: PackageJson): boolean =>
  bringing.some((part) => Object.keys(manifest[part] ?? {}).length > 0) ||
  installScripts.some((script) => manifest.scripts?.[script] !== undefined);

async function inWorkspace(folder: string, env: EnvironmentAccess): Promise<boolean> {
  for (let above = folder; above.startsWith(`${env.sourcePath}/`);) {
    above = dirname(above);
    const manifest = await readPackageJson(insideFolder(env, above));
    if (manifest?.workspaces !== undefined) return true;
  }
  return false;
}

/** Files that say what an install has to bring. */
const manifests = [
  "package.json",
  "package-lock.json",
  "npm-shrinkwrap.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  ".npmrc",
  "pyproject.toml",
  "setup.py",
  "setup.cfg",
  "requirements.txt",
];

/** Folder, within the plugin's, that an install fills; the stamp lies in it, and goes with it. */
function cacheFolder(plan: PluginPlan): string | undefined {
  const system = plan.build?.system ?? "";
  if (system.startsWith("npm")) return "node_modules";
  return system.startsWith("pip") ? ".venv" : undefined;
}

/** Path of the stamp, within the plugin's folder. */
const stampIn = (cache: string): string => `${cache}/.pth-stamp`;

interface Stamp {
  /** Hash of image and path: the cache is valid only there. */
  place: string;
  /** Hash of command, manifests and lockfiles. */
  content: string;
}

const isSame = (one: Stamp, other: Stamp): boolean =>
  one.place === other.place && one.content === other.content;

const lookScript =
  'cat "$1" 2>/dev/null; echo; shift; for f in "$@"; do [ -f "$f" ] && echo "== $f" && cat "$f"; done; true';

/** Command that prints the stamp of the cache, and what a stamp is made of. */
const stampLook = (
  plan: PluginPlan,
  cache: string,
  env: EnvironmentAccess,
): string[] => ["sh", "-c", lookScript, "sh", stampIn(cache), ...watchedFiles(plan, env)];

/** The stamp that fits the folder as it is now, and the one that the cache carries. */
async function readStamps(
  plan: PluginPlan,
  cache: string,
  env: EnvironmentAccess,
): Promise<{ current: Stamp; found: Stamp | undefined }> {
  const result = await env.exec(stampLook(plan, cache, env), { cwd: plan.folder });
  if (result.code !== 0) {
    throw new PthError(
      "EXEC_FAILED",
      `Cannot read ${plan.folder} of the environment: exited with ${result.code}`,
      {
        output: result.stderr,
      },
    );
  }
  return stampsIn(result.stdout, plan, env);
}

function stampsIn(
  text: string,
  plan: PluginPlan,
  env: EnvironmentAccess,
): { current: Stamp; found: Stamp | undefined } {
  const end = text.indexOf("\n");
  const [place = "", content = ""] = text.slice(0, end).split(" ");
  const current = {
    place: hash(`${env.image}\0${plan.folder}`),
    content: hash(`${plan.build?.install}\0${text.slice(end)}`),
  };
  return { current, found: place === "" ? undefined : { place, content } };
}

/**
 * Writes the stamp as one line; also where nothing was to be installed, and so no folder was made.
 * @param seen output of `stampLook`, where the folder is still as it was then
 */
async function writeStamp(
  plan: PluginPlan,
  cache: string,
  env: EnvironmentAccess,
  seen: string | undefined,
): Promise<void> {
  const { current } = seen === undefined ? await readStamps(plan, cache, env) : stampsIn(seen, plan, env);
  const line = `${current.place} ${current.content}`;
  const script = 'mkdir -p "$1" && printf %s "$2" > "$3"';
  await env.exec(["sh", "-c", script, "sh", cache, line, stampIn(cache)], { cwd: plan.folder });
}

/** In a workspace, what is installed also hangs on the manifests at the top. */
function watchedFiles(plan: PluginPlan, env: EnvironmentAccess): string[] {
  const top = plan.folder === env.sourcePath ? [] : manifests.map((file) => `${env.sourcePath}/${file}`);
  return [...manifests, ...top];
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);
