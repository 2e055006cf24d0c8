/** Servers of the plugin, whose tools hooks of type `mcp_tool` call, as Claude Code 2.1.330 has them. */
import type { CallOutcome } from "../../machines/model/plugin.ts";
import { PthError } from "../core/errors.ts";
import { isObject, valueAt } from "../core/values.ts";
import { declaredServers } from "../plugin/declared_servers.ts";
import type { ReadableFolder } from "../plugin/readable_folder.ts";
import type { ReadHooks } from "./read_hooks.ts";

export interface RunningServer {
  /** Name that the plugin gives it. */
  name: string;
  /** @throws {PthError} `SERVER_SILENT` without an answer in time, `SERVER_LOST`, `NO_SUCH_TOOL` */
  call(tool: string, input: Record<string, unknown>, limitMs: number): Promise<CallOutcome>;
}

export interface HookServers {
  /** Names as Claude Code has them: `plugin:<plugin>:<server>`. */
  declared: readonly string[];
  /** Absent: none was started, and hooks that call one are not tested. */
  running?: RunningServer;
}

/** A call that is ready to be made. */
export interface HookCall {
  /** Unique among the hooks of the event. */
  id: number;
  limitMs: number;
  tool: string;
  input: Record<string, unknown>;
}

export const serverName = (plugin: string, server: string): string => `plugin:${plugin}:${server}`;

/**
 * Reads the servers that the plugin declares, where a hook calls one.
 * @throws {PthError} `INVALID_CONFIG` for files that cannot be understood
 */
export async function hookServers(
  folder: ReadableFolder,
  { plugin, hooks }: ReadHooks,
  running?: RunningServer,
): Promise<HookServers> {
  const calls = hooks.some(({ hook }) => hook.type === "mcp_tool");
  const declared = calls ? await declaredServers(folder) : [];
  return {
    declared: declared.map(({ name }) => serverName(plugin, name)),
    ...(running === undefined ? {} : { running }),
  };
}

/** End of a call, as that of a command that ended with 0: its text is judged in the same way. */
export interface HookCallEnd {
  id: number;
  durationMs: number;
  timedOut: boolean;
  stdout: string;
  stderr: string;
  failure?: string;
}

/** @param payload As it is sent to the other hooks */
export async function callServer(
  { id, limitMs, tool, input }: HookCall,
  server: RunningServer,
  payload: Readonly<Record<string, unknown>>,
): Promise<HookCallEnd> {
  const started = performance.now();
  const ended = (rest: Partial<HookCallEnd>): HookCallEnd => ({
    id,
    durationMs: Math.round(performance.now() - started),
    timedOut: false,
    stdout: "",
    stderr: "",
    ...rest,
  });
  try {
    const filled = fillInput(input, payload) as Record<string, unknown>;
    const { kind, isError, text, content = [] } = await server.call(tool, filled, limitMs);
    if (kind === "rpc_error" || isError) return ended({ failure: text || "the tool returned an error" });
    return ended({ stdout: content.map(textOf).join("\n") });
  } catch (error) {
    if (!(error instanceof PthError)) throw error;
    if (error.code === "SERVER_SILENT") return ended({ timedOut: true });
    if (error.code === "SERVER_LOST" || error.code === "NO_SUCH_TOOL") {
      return ended({ failure: error.message });
    }
    throw error;
  }
}

/** Parts that are no text are named by their type alone. */
const textOf = (part: unknown): string =>
  !isObject(part) ? "" : part.type === "text" ? String(part.text) : `[${part.type}]`;

/** Puts values of the payload into texts: `${tool_input.file_path}`; nothing for what it does not have. */
export function fillInput(value: unknown, payload: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === "string") {
    return value.replace(/\$\{([a-zA-Z_][a-zA-Z0-9_.]*)\}/g, (_, path: string) => {
      const found = valueAt(payload, path.split("."));
      if (found === undefined || found === null) return "";
      return typeof found === "object" ? JSON.stringify(found) : String(found);
    });
  }
  if (Array.isArray(value)) return value.map((each) => fillInput(each, payload));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fillInput(each, payload)]));
}
