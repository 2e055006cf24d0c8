/** Servers that a Claude Code plugin declares: `.claude-plugin/plugin.json` and `.mcp.json`. */
import { PthError } from "../core/errors.ts";
import { isObject } from "../core/values.ts";
import { readJsonObject } from "./package_json.ts";
import type { ReadableFolder } from "./readable_folder.ts";
import type { NextStep } from "../core/next_step.ts";

/** One entry of `mcpServers`, references not yet expanded. */
export interface DeclaredServer {
  name: string;
  /** File that declares it. */
  file: string;
  type: "stdio" | "http";
  command: string[];
  env: Record<string, string>;
  cwd?: string;
  url?: string;
  headers: Record<string, string>;
}

const pluginFile = ".claude-plugin/plugin.json";
const projectFile = ".mcp.json";

/**
 * All servers that are the plugin's own. Where there is no plugin.json, a `.mcp.json` may list the servers that the author
 * works with; only those that start a file of this folder are then the plugin's.
 * @throws {PthError} `INVALID_CONFIG` for files that cannot be understood
 */
export async function declaredServers(folder: ReadableFolder): Promise<DeclaredServer[]> {
  const manifest = await readJsonObject(folder, pluginFile);
  const servers = new Map<string, DeclaredServer>();
  for (const server of await fromFile(folder, projectFile)) servers.set(server.name, server);
  if (manifest === undefined) {
    const own = await Promise.all([...servers.values()].map((server) => startsOwnFile(folder, server)));
    return [...servers.values()].filter((_, index) => own[index]);
  }
  for (const server of await fromManifest(folder, manifest.mcpServers)) servers.set(server.name, server);
  return [...servers.values()];
}

/** @throws {PthError} `SERVER_AMBIGUOUS` naming the choices, `INVALID_INPUT` for a name that is none of them */
export function chooseServer(
  servers: readonly DeclaredServer[],
  wanted: string | undefined,
): DeclaredServer | undefined {
  const names = servers.map(({ name }) => name);
  if (wanted !== undefined) {
    const found = servers.find(({ name }) => name === wanted);
    if (found || servers.length === 0) return found;
    throw new PthError(
      "INVALID_INPUT",
      `Cannot choose server "${wanted}": the plugin has ${names.join(", ")}`,
      {
        servers: names,
        next: names.map(wayToChoose),
      },
    );
  }
  if (servers.length < 2) return servers[0];
  throw ambiguousServers(names);
}

const wayToChoose = (name: string): NextStep => ({
  terminal: `--server ${name}`,
  mcp: `pth_load_plugin({ server: ${JSON.stringify(name)} })`,
});

export const ambiguousServers = (names: string[]): PthError =>
  new PthError("SERVER_AMBIGUOUS", `Cannot tell which server to test: the plugin has ${names.join(", ")}`, {
    servers: names,
    next: names.map(wayToChoose),
  });

async function fromManifest(folder: ReadableFolder, declared: unknown): Promise<DeclaredServer[]> {
  const parts = Array.isArray(declared) ? declared : declared === undefined ? [] : [declared];
  const servers: DeclaredServer[] = [];
  for (const part of parts) {
    if (typeof part === "string") {
      const path = part.replace(/^(\.\/|\$\{CLAUDE_PLUGIN_ROOT\}\/)/, "");
      if (!await folder.exists(path)) {
        throw invalid(pluginFile, `mcpServers names ${part}, which is not there`);
      }
      servers.push(...await fromFile(folder, path));
    } else servers.push(...entriesOf(part, pluginFile));
  }
  return servers;
}

async function fromFile(folder: ReadableFolder, path: string): Promise<DeclaredServer[]> {
  const content = await readJsonObject(folder, path);
  if (content === undefined) return [];
  return entriesOf(content.mcpServers ?? content, path);
}

function entriesOf(declared: unknown, file: string): DeclaredServer[] {
  if (!isObject(declared)) throw invalid(file, "mcpServers has to be an object of servers");
  return Object.entries(declared)
    .filter(([name]) => !name.startsWith("$"))
    .map(([name, entry]) => entryOf(name, entry, file));
}

function entryOf(name: string, entry: unknown, file: string): DeclaredServer {
  if (!isObject(entry)) throw invalid(file, `server ${name} has to be an object`);
  const { command, args = [], env = {}, cwd, url, headers = {} } = entry;
  if (typeof command !== "string" && typeof url !== "string") {
    throw invalid(file, `server ${name} has neither a command nor a url`);
  }
  if (!Array.isArray(args)) throw invalid(file, `args of server ${name} has to be a list`);
  return {
    name,
    file,
    type: typeof url === "string" ? "http" : "stdio",
    command: typeof command === "string" ? [command, ...args.map(String)] : [],
    env: textsOf(env, file, `env of server ${name}`),
    headers: textsOf(headers, file, `headers of server ${name}`),
    ...(typeof cwd === "string" ? { cwd } : {}),
    ...(typeof url === "string" ? { url } : {}),
  };
}

async function startsOwnFile(folder: ReadableFolder, server: DeclaredServer): Promise<boolean> {
  for (const word of server.command) {
    if (word.includes("${CLAUDE_PLUGIN_ROOT}") || word.startsWith("./")) return true;
    const looksLikeFile = /^[^-@/][^\s]*\.(m?js|cjs|ts|py|sh|rb|jar)$/.test(word);
    if (looksLikeFile || (word.includes("/") && !/^[-@/]/.test(word) && await folder.exists(word))) {
      return true;
    }
  }
  return false;
}

function textsOf(value: unknown, file: string, what: string): Record<string, string> {
  if (!isObject(value)) throw invalid(file, `${what} has to be an object`);
  return Object.fromEntries(Object.entries(value).map(([key, text]) => [key, String(text)]));
}

const invalid = (file: string, problem: string): PthError =>
  new PthError("INVALID_CONFIG", `Cannot read ${file}: ${problem}`, { next: [`Correct ${file}`] });
