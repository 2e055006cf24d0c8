import { posix } from "node:path";
import type { InstalledPackage, InstallFault } from "../../../machines/model/install_check.ts";
import { errorMessage, PthError } from "../../core/errors.ts";
import { oneLine, visibleName } from "../../core/text.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import { declaredServers } from "../../plugin/declared_servers.ts";
import { insideFolder } from "../../plugin/environment_access.ts";
import { makeExpander } from "../../plugin/expander.ts";
import { readJsonObject } from "../../plugin/package_json.ts";
import type { ReadableFolder } from "../../plugin/readable_folder.ts";
import {
  claudeCommands,
  claudeManifest,
  claudeManifestFile,
  claudeParts,
  claudePaths,
} from "../claude_manifest.ts";
import { commandFaults } from "../command_faults.ts";
import { engineFaults } from "../engine_faults.ts";
import { defineInstallKind, type InstalledTrees, type InstallPlace } from "../install_kind.ts";
import { failureOutput } from "../failure_output.ts";
import { importFaults, notBrought } from "../module_imports.ts";
import { packagesIn } from "../packages_in.ts";
import { linkFaults, pathFault } from "../path_fault.ts";
import { startOutside } from "../start_outside.ts";
import { versionFault } from "../version_fault.ts";

const marketplaceFile = ".claude-plugin/marketplace.json";
const rootVariable = "CLAUDE_PLUGIN_ROOT";
const packing = "Commit it: a marketplace copies what the repository holds, and builds nothing";
const claudeLimitMs = 60_000;

/** Marketplace and plugin as `claude plugin install` names them. */
interface Names {
  market: string;
  plugin: string;
  version: string;
}

/** A Claude Code plugin, installed from a marketplace on this machine. */
export default defineInstallKind({
  name: "claude-plugin",
  summary:
    "a marketplace with what the repository holds; `claude plugin marketplace add` and `claude plugin install` " +
    "with a home of their own, or the same copy where Claude Code is not there",
  detectedBy: ".claude-plugin/plugin.json",
  needs: [],
  declaresServers: true,
  async detects(folder) {
    return await folder.exists(claudeManifestFile);
  },
  async servers(folder) {
    return (await declaredServers(folder)).filter(({ type }) => type === "stdio").map(({ name }) => ({
      name,
    }));
  },
  async pack({ copySource, folder, env, signal }) {
    const market = posix.join(folder, "marketplace");
    await copySource(market);
    const inside = insideFolder(env, market);
    if (await ownEntry(await inside.read(marketplaceFile)) !== undefined) return { path: market, notes: [] };
    if (!await inside.exists(claudeManifestFile)) {
      throw new PthError(
        "INVALID_INPUT",
        "Cannot check the marketplace as a whole: it has no plugin at its root",
        {
          next: ["Give the folder of one of its plugins"],
        },
      );
    }
    const script = 'mv "$1" "$1.plugin" && mkdir -p "$1/.claude-plugin" && mv "$1.plugin" "$1/plugin" && ' +
      'printf %s "$2" > "$1/.claude-plugin/marketplace.json"';
    const manifest = jsonIn(await inside.read(claudeManifestFile) ?? "");
    const name = isObject(manifest) && typeof manifest.name === "string" ? manifest.name : "plugin";
    const listing = {
      name: "install-check",
      owner: { name: "PTH" },
      plugins: [{ name, source: "./plugin" }],
    };
    const { code, stderr } = await env.exec(["sh", "-c", script, "sh", market, JSON.stringify(listing)], {
      cwd: "/",
      signal,
    });
    if (code !== 0) throw new PthError("COPY_FAILED", `Cannot make a marketplace: ${stderr.trim()}`);
    return { path: market, notes: [] };
  },
  async install(place, { path: market }) {
    const { env, folder, bringAgent } = place;
    const listing = await insideFolder(env, market).read(marketplaceFile);
    const entry = ownEntry(listing) ?? { name: "plugin", source: "./plugin", market: "install-check" };
    const plugin = posix.join(market, entry.source);
    const manifest = jsonIn(await insideFolder(env, plugin).read(claudeManifestFile) ?? "");
    const told = (key: string) =>
      isObject(manifest) && typeof manifest[key] === "string" ? manifest[key] : undefined;
    const names = { market: entry.market, plugin: entry.name, version: told("version") ?? "unknown" };
    const home = posix.join(folder, "home");
    const claude = await bringAgent("claude");
    const root = claude === undefined
      ? await copied(place, plugin, home, names)
      : await installedByClaude(place, claude, market, home, names);
    if (typeof root !== "string") return { root: "", servers: [], programs: [], notes: [], fault: root };
    const { servers, notes } = await serversOf(place, root, home);
    return {
      root,
      servers,
      programs: [],
      notes: [
        ...(claude === undefined
          ? [
            "Claude Code is not on this machine: the plugin was copied as its marketplaces copy, and not installed by it",
          ]
          : []),
        ...notes,
      ],
    };
  },
  async inspect(trees) {
    const { env, root, installed, source, sourceRoot } = trees;
    const manifest = await claudeManifest(installed);
    if (manifest === undefined) {
      return [{
        code: "wrong-path",
        place: claudeManifestFile,
        message: "the manifest cannot be read",
        next: "Correct the file: it has to be a JSON object",
      }];
    }
    const paths = claudePaths(manifest).flatMap(({ place, value }) =>
      pathFault({ place, path: value, packing }, trees) ?? []
    );
    const commands = await claudeCommands(installed, manifest);
    const { faults, files } = await commandFaults(commands, trees, {
      root: rootVariable,
      packing,
      sourceRoot,
    });
    const folder = insideFolder(env, root);
    const packages = await packagesIn(folder);
    const engines = await engineRange(installed.read);
    return [
      ...paths,
      ...(paths.some(({ place }) => place.includes("mcpServers")) ? [] : await declarationFaults(folder)),
      ...faults,
      ...await importFaults(trees, {
        entries: files,
        packing,
        foreign: (name) =>
          packages.has(name) ? undefined : {
            message: `${notBrought(name)}: a marketplace installs no packages`,
            next: `Bundle ${visibleName(name)} into the file, or install it when the server starts`,
          },
      }),
      ...await engineFaults(env, "package.json: engines.node", engines),
      ...await versionFaults(trees, manifest),
      ...(source === undefined ? [] : linkFaults(source)),
    ];
  },
  parts: claudeParts,
});

/** Versions of the plugin that other files tell: a user is shown the marketplace's, and updated by the manifest's. */
async function versionFaults(
  { installed }: InstalledTrees,
  manifest: Record<string, unknown>,
): Promise<InstallFault[]> {
  const told = { place: claudeManifestFile, version: manifest.version };
  const listing = jsonIn(await installed.read(marketplaceFile) ?? "");
  const entries = isObject(listing) && Array.isArray(listing.plugins) ? listing.plugins.filter(isObject) : [];
  const entry = entries.find(({ name, source }) => name === manifest.name && source !== undefined);
  const other = jsonIn(await installed.read("package.json") ?? "");
  return [
    ...versionFault(told, { place: `${marketplaceFile}: version`, version: entry?.version }),
    ...(isObject(other) && other.private !== true
      ? versionFault(told, { place: "package.json: version", version: other.version })
      : []),
  ];
}

/** Entry of the repository's own marketplace whose plugin is the repository. */
function ownEntry(listing: string | undefined): { name: string; source: string; market: string } | undefined {
  const value = jsonIn(listing ?? "");
  if (!isObject(value) || !Array.isArray(value.plugins) || typeof value.name !== "string") return undefined;
  for (const entry of value.plugins.filter(isObject)) {
    const { name, source } = entry;
    if (typeof name !== "string" || typeof source !== "string") continue;
    if (/^\.\/?$/.test(source)) return { name, source: ".", market: value.name };
    if (value.name === "install-check" && source === "./plugin") return { name, source, market: value.name };
  }
  return undefined;
}

async function declarationFaults(folder: ReadableFolder): Promise<InstallFault[]> {
  try {
    await declaredServers(folder);
    return [];
  } catch (error) {
    if (!(error instanceof PthError)) throw error;
    return [{
      code: "not-started",
      place: ".mcp.json",
      message: `the servers cannot be read: ${
        visibleName(errorMessage(error).replace(`${folder.path}/`, ""), 300)
      }`,
      next: "Correct the declaration of the servers",
    }];
  }
}

async function engineRange(read: (path: string) => Promise<string | undefined>): Promise<unknown> {
  const manifest = jsonIn(await read("package.json") ?? "");
  return isObject(manifest) && isObject(manifest.engines) ? manifest.engines.node : undefined;
}

/** Leaves out links that lead out of the plugin, as Claude Code does. */
async function copied(
  { env, signal }: InstallPlace,
  plugin: string,
  home: string,
  { market, plugin: name, version }: Names,
): Promise<string> {
  const root = posix.join(home, ".claude/plugins/cache", market, name, version);
  const script = 'mkdir -p "$2" && cp -R -P "$1/." "$2" && cd "$2" && find . -type l -exec sh -c \'' +
    'for link do to=$(readlink -f -- "$link") || to=/; case $to/ in "$0"/*) ;; *) rm -f -- "$link" ;; esac; done' +
    '\' "$(pwd -P)" {} +';
  const { code, stderr } = await env.exec(["sh", "-c", script, "sh", plugin, root], { cwd: "/", signal });
  if (code !== 0) throw new PthError("COPY_FAILED", `Cannot copy the plugin: ${stderr.trim()}`);
  return root;
}

async function installedByClaude(
  { env, signal }: InstallPlace,
  claude: readonly string[],
  market: string,
  home: string,
  names: Names,
): Promise<string | InstallFault> {
  const id = `${names.plugin}@${names.market}`;
  const script = 'home=$1 market=$2 id=$3; shift 3; mkdir -p "$home/project" && cd "$home/project" && ' +
    'export HOME="$home" CLAUDE_CONFIG_DIR="$home/.claude" CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 && ' +
    '"$@" plugin marketplace add "$market" </dev/null && "$@" plugin install "$id" </dev/null';
  const limit = AbortSignal.any([signal, AbortSignal.timeout(claudeLimitMs)]);
  const { code, stdout, stderr } = await env.exec(["sh", "-c", script, "sh", home, market, id, ...claude], {
    cwd: "/",
    signal: limit,
  });
  const output = `${stdout}\n${stderr}`.trim();
  const folder = insideFolder(env, home);
  const listed = await readJsonObject(folder, ".claude/plugins/installed_plugins.json").catch(() =>
    undefined
  ); // told below
  const installs = isObject(listed?.plugins) ? listed.plugins[id] : undefined;
  const [first] = Array.isArray(installs) ? installs : [];
  if (code === 0 && isObject(first) && typeof first.installPath === "string") return first.installPath;
  return {
    code: "not-installed",
    place: ".claude-plugin",
    message: `claude plugin install ${visibleName(id)} fails: ${oneLine(output.split("\n").at(-1) ?? "")}`,
    next: "Correct what Claude Code names; claude plugin validate tells more",
    output: failureOutput(output, home),
  };
}

/** Servers as Claude Code starts them: in the user's project, with the plugin's folder as a variable. */
async function serversOf(
  { env, folder }: InstallPlace,
  root: string,
  home: string,
): Promise<Pick<InstalledPackage, "servers" | "notes">> {
  const project = posix.join(folder, "project");
  await env.exec(["mkdir", "-p", project], { cwd: "/" });
  // What cannot be read is a fault that `inspect` tells.
  const declared = await declaredServers(insideFolder(env, root)).catch((error) => {
    if (error instanceof PthError) return [];
    throw error;
  });
  const { expand, missing } = makeExpander({
    [rootVariable]: root,
    CLAUDE_PROJECT_DIR: project,
    CLAUDE_PLUGIN_DATA: posix.join(home, "data"),
    HOME: home,
  });
  const servers = declared.filter(({ type }) => type === "stdio").map((
    { name, command, env: values, cwd },
  ) => ({
    name,
    command: startOutside(
      cwd === undefined ? project : posix.resolve(project, expand(cwd)),
      {
        [rootVariable]: root,
        ...Object.fromEntries(Object.entries(values).map(([key, value]) => [key, expand(value)])),
      },
      command.map(expand),
    ),
  }));
  const remote = declared.filter(({ type }) => type !== "stdio").map(({ name }) => name);
  return {
    servers,
    notes: [
      ...(missing.size === 0 ? [] : [`Servers were started without a value for ${[...missing].join(", ")}`]),
      ...(remote.length === 0
        ? []
        : [`Not started, as they are reached by an address: ${remote.join(", ")}`]),
    ],
  };
}
