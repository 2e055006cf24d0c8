/** Answers all questions about a plugin before anything is installed. */
import { join } from "node:path";
import type {
  BuildPlan,
  PluginPlan,
  ResolvedVariable,
  ServerTransport,
} from "../../machines/model/plugin.ts";
import type { SessionSource, SessionTarget } from "../../machines/model/session.ts";
import { PthError } from "../core/errors.ts";
import { declaredVariables, requireAll, resolveVariables } from "./declared_variables.ts";
import { detectBuild, knownBuildFiles } from "./detect.ts";
import type { EnvironmentAccess } from "./environment_access.ts";
import { makeExpander } from "./expander.ts";
import { chooseServer, type DeclaredServer, declaredServers } from "./declared_servers.ts";
import { hostFolder, type ReadableFolder } from "./readable_folder.ts";
import { findStart, localPluginCommand, startPlaces } from "./find_start.ts";

/** State that the steps of planning share. */
interface Planning {
  source: SessionSource;
  target: SessionTarget;
  env: EnvironmentAccess;
  folder: ReadableFolder;
  /** The plugin's folder inside. */
  path: string;
  build: BuildPlan | undefined;
  declared: DeclaredServer | undefined;
  variables: ResolvedVariable[];
}

/**
 * The plan: how to install, build and start. `server.command` is empty while only the install or the build can tell
 * (an npm package's bin, what `make` makes); `buildPlugin` fills it in.
 * @throws {PthError} `BUILD_SYSTEM_UNKNOWN`, `SERVER_AMBIGUOUS`, `CONFIG_MISSING`, `INVALID_CONFIG`, `INVALID_INPUT`
 */
export async function planPlugin(
  source: SessionSource,
  target: SessionTarget,
  env: EnvironmentAccess,
): Promise<PluginPlan> {
  const folder = hostFolder(join(source.worktree, source.subfolder));
  const path = source.subfolder === "" ? env.sourcePath : `${env.sourcePath}/${source.subfolder}`;
  const { build: buildCommand, install } = target;
  const overrides = {
    isolated: env.isolated,
    ...(buildCommand === undefined ? {} : { build: buildCommand }),
    ...(install === undefined ? {} : { install }),
  };
  const build = await detectBuild(folder, overrides);
  const explicit = target.command !== undefined || target.url !== undefined;
  const declared = explicit ? undefined : chooseServer(await declaredServers(folder), target.server);
  const schema = await declaredVariables(folder, declared);
  const { variables, missing } = resolveVariables(schema, target);
  requireAll(missing, schema, target);
  const server = await serverOf({ source, target, env, folder, path, build, declared, variables });
  const serverName = declared?.name ?? target.server;
  return {
    name: source.name,
    ...(source.version === undefined ? {} : { version: source.version }),
    source: source.source,
    folder: path,
    ...(build === undefined ? {} : { build }),
    server,
    ...(serverName === undefined ? {} : { serverName }),
    variables,
    notes: notesOn(declared, server),
  };
}

/** Says when the declared command was turned into the plugin's own. */
function notesOn(declared: DeclaredServer | undefined, server: ServerTransport): string[] {
  const [said] = declared?.command ?? [];
  const [started] = server.command ?? [];
  if (said === undefined || started === undefined || said === started || said.includes("${")) return [];
  return [`"${declared!.command.join(" ")}" is run from the plugin's own folder, with ${started}.`];
}

async function serverOf(planning: Planning): Promise<ServerTransport> {
  const { target, path, declared, variables } = planning;
  if (declared) return await fromDeclaration(planning, declared);
  const env = environmentOf(variables, {}, path);
  const args = target.args ?? [];
  const command = target.command ? [...target.command, ...args] : undefined;
  const { url } = target;
  if (url !== undefined) {
    // A port that PTH chooses can only be that of a server which it starts itself.
    const own = command ?? (url.includes("{port}") ? await foundCommand(planning) : undefined);
    const port = own === undefined ? undefined : localPort(url);
    return { type: "http", ...listed(own), ...(port === undefined ? {} : { port }), env, cwd: path, url };
  }
  const found = command ?? await foundCommand(planning);
  if (found.some((word) => word.includes("{port}"))) {
    return { type: "http", command: found, env, cwd: path, url: "http://127.0.0.1:{port}/mcp" };
  }
  return { type: "stdio", command: found, env, cwd: path };
}

/** Empty while it is open: `findStart` looks again once everything is built. */
async function foundCommand(planning: Planning): Promise<string[]> {
  const { source, target, folder, path, build } = planning;
  if (source.source.startsWith("npm:")) return [];
  const found = await findStart({ folder, path, build, wanted: target.server });
  if (found) return [...found, ...target.args ?? []];
  if (build !== undefined) return [];
  throw new PthError("BUILD_SYSTEM_UNKNOWN", `Cannot tell how to build or start ${source.source}`, {
    tried: [knownBuildFiles, ".mcp.json, .claude-plugin/plugin.json", ...startPlaces],
    found: await folder.list(),
    next: [{
      terminal: 'Give the build command: --build "<command>"',
      mcp: 'Give the build command: pth_load_plugin({ build: "<command>" })',
    }, {
      terminal: 'Give the start command: --command "<command>"',
      mcp: 'Give the start command: pth_load_plugin({ command: ["<program>", "<argument>"] })',
    }],
  });
}

async function fromDeclaration(planning: Planning, declared: DeclaredServer): Promise<ServerTransport> {
  const { target, path, folder, build, variables } = planning;
  const { expand } = makeExpander(await suppliedValues(planning, declared));
  const env = environmentOf(variables, mapValues(declared.env, expand), path);
  const cwd = declared.cwd === undefined ? path : absolute(path, expand(declared.cwd));
  if (declared.type === "http") {
    const url = expand(declared.url ?? "");
    const headers = mapValues(declared.headers, expand);
    return { type: "http", ...await localServer(planning, declared, url, expand), env, cwd, url, headers };
  }
  const command = await localPluginCommand(folder, path, build, declared.command.map(expand));
  return { type: "stdio", command: [...command, ...target.args ?? []], env, cwd };
}

/** Local server of a plugin that declares a URL on this host, if a start command is found. */
async function localServer(
  { folder, path, build, target }: Planning,
  declared: DeclaredServer,
  url: string,
  expand: (text: string) => string,
): Promise<{ command?: string[]; port?: number }> {
  const port = localPort(url);
  if (port === undefined) return {};
  const command = declared.command.length > 0
    ? declared.command.map(expand)
    : await findStart({ folder, path, build, wanted: undefined });
  if (command === undefined) return {};
  return { command: [...command, ...target.args ?? []], port };
}

/** The port that a url names on this very machine; absent where PTH is to choose it, and for other machines. */
function localPort(url: string): number | undefined {
  const place = URL.canParse(url) ? new URL(url) : undefined;
  if (place === undefined || !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)$/.test(place.hostname)) {
    return undefined;
  }
  return Number(place.port || (place.protocol === "https:" ? 443 : 80));
}

/** Values for references: the variables, and those that Claude Code or the environment supplies. */
async function suppliedValues(
  { path, env, variables }: Planning,
  declared: DeclaredServer,
): Promise<Record<string, string>> {
  const given = Object.fromEntries(variables.map(({ name, value }) => [name, value]));
  const claude = {
    CLAUDE_PLUGIN_ROOT: path,
    CLAUDE_PROJECT_DIR: path,
    CLAUDE_PLUGIN_DATA: "/tmp/pth-plugin-data",
    PWD: path,
  };
  const own = /\$\{(HOME|PATH|TMPDIR|USER)\b/.test(JSON.stringify(declared)) ? await ownValues(env) : {};
  return { ...own, ...claude, ...given };
}

async function ownValues(env: EnvironmentAccess): Promise<Record<string, string>> {
  const script = 'printf "%s\\n" "$HOME" "$PATH" "${TMPDIR:-/tmp}" "$(id -un)"';
  const [HOME = "", PATH = "", TMPDIR = "", USER = ""] = (await env.exec(["sh", "-c", script])).stdout.split(
    "\n",
  );
  return { HOME, PATH, TMPDIR, USER };
}

/** Defaults give way to what the plugin declares, and that to what the user said. */
function environmentOf(
  variables: readonly ResolvedVariable[],
  declared: Record<string, string>,
  path: string,
): Record<string, string> {
  const pairs = (given: boolean) =>
    Object.fromEntries(
      variables.filter(({ source }) => source.startsWith("given") === given).map((
        { name, value },
      ) => [name, value]),
    );
  return { CLAUDE_PLUGIN_ROOT: path, ...pairs(false), ...declared, ...pairs(true) };
}

const mapValues = (texts: Record<string, string>, map: (text: string) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, map(text)]));

const absolute = (path: string, cwd: string): string => (cwd.startsWith("/") ? cwd : join(path, cwd));

const listed = (command: string[] | undefined) => (command === undefined ? {} : { command });
