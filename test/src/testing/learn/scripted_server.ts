/** Servers in this process whose tools are functions, for searches of inputs. */
import type { CallOutcome, ToolDefinition } from "../../../../machines/model/plugin.ts";
import type { LearnRequest } from "../../../../machines/model/learned.ts";
import type { Connection } from "../../../../src/client/connection.ts";
import type { FuzzHost } from "../../../../src/testing/fuzz/fuzz_server.ts";
import { learnTools } from "../../../../src/testing/learn/learn_tools.ts";
import { PthError } from "../../../../src/core/errors.ts";

type Input = Record<string, unknown>;
/** Answers a text, or throws an Error, whose words are a refusal; "crash" ends the server, "silence" answers nothing. */
export type ScriptedTool = (input: Input) => string;

export interface ScriptedServer {
  tools: ToolDefinition[];
  /** A new server's tools. */
  open(): Record<string, ScriptedTool>;
}

export const outcome = (text: string, isError = false): CallOutcome => ({
  kind: "result",
  raw: {},
  text,
  isError,
  content: [{ type: "text", text }],
  violations: [],
  durationMs: 1,
});

export function scriptedHost({ open }: Pick<ScriptedServer, "open">) {
  const calls: { tool: string; input: Input }[] = [];
  const state = { opened: 0, open: 0 };
  const host: FuzzHost = {
    hide: (value) => value,
    megabytes: () => Promise.resolve(undefined),
    close: () => Promise.resolve(void state.open--),
    open() {
      state.opened++;
      state.open++;
      return Promise.resolve(connectionTo(open(), (tool, input) => calls.push({ tool, input })));
    },
  };
  return { host, calls, state };
}

function connectionTo(
  tools: Record<string, ScriptedTool>,
  heard: (tool: string, input: Input) => void,
): Connection {
  let lost = false;
  const connection: Partial<Connection> = {
    id: "c",
    lost: Promise.resolve({
      reason: "exited",
      exitCode: 1,
      signal: null,
      stderrTail: "",
      message: "exited with 1",
    }),
    stderrTail: () => "",
    strayOutput: () => [],
    ping: () => lost ? Promise.reject(new PthError("SERVER_LOST", "Cannot ping")) : Promise.resolve(1),
    callTool(tool, input, { signal } = {}) {
      heard(tool, input);
      let text: string;
      try {
        text = tools[tool]!(input);
      } catch (error) {
        return Promise.resolve(outcome((error as Error).message, true));
      }
      if (text === "silence") {
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      }
      if (text !== "crash") return Promise.resolve(outcome(text));
      lost = true;
      return Promise.reject(new PthError("SERVER_LOST", "Cannot call: the server is gone"));
    },
  };
  return connection as Connection;
}

export const tool = (
  name: string,
  properties: Record<string, unknown> = {},
  more: Partial<ToolDefinition> = {},
) =>
  ({
    name,
    inputSchema: { type: "object", properties, required: Object.keys(properties) },
    ...more,
  }) as ToolDefinition;

export function refuse(words: string): never {
  throw new Error(words);
}

export async function learn(server: ScriptedServer, request: LearnRequest = {}) {
  const { host, calls, state } = scriptedHost(server);
  const report = await learnTools(server.tools, host, request, {
    signal: new AbortController().signal,
    place: { isolated: true, harmless: true },
    variables: new Map(),
    limitMs: 200,
  });
  return { report, calls, state };
}
