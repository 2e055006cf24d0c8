/** Runs checks that call tools on servers that are functions: calls are answered, refused, or end the server. */
import type { CallOutcome, ToolDefinition } from "../../../../machines/model/plugin.ts";
import type { Verdict } from "../../../../machines/model/verdict.ts";
import type { Incident } from "../../../../src/client/incidents.ts";
import { PthError } from "../../../../src/core/errors.ts";
import { type CheckContext, runServerCheck } from "../../../../src/testing/check.ts";
import type { CallPlace } from "../../../../src/testing/generate/excluded_tools.ts";
import { registry } from "../../../../src/testing/checks/_registry.ts";

export type Input = Record<string, unknown>;

export const text = { type: "string", description: "Text" };
export const tool = (
  name: string,
  properties: Input,
  more: Partial<ToolDefinition> = {},
): ToolDefinition => ({
  name,
  inputSchema: { type: "object", properties, required: Object.keys(properties).slice(0, 1) },
  annotations: { readOnlyHint: true },
  ...more,
});
export const outcome = (words: string, more: Partial<CallOutcome> = {}): CallOutcome => ({
  kind: "result",
  raw: {},
  text: words,
  isError: false,
  content: [{ type: "text", text: words }],
  violations: [],
  durationMs: 1,
  ...more,
});
export const silent = () => new PthError("SERVER_SILENT", "Cannot call it: no answer");
export const lost = () =>
  new PthError("SERVER_LOST", "Cannot call it: the server has exited with 1", { output: "boom" });

interface Server {
  tools: ToolDefinition[];
  answer(
    tool: string,
    input: Input,
    cancelled: () => boolean,
  ): string | CallOutcome | Promise<string | CallOutcome>;
  ping?: () => Promise<CallOutcome>;
  incidents?: () => Incident[];
  isolated?: boolean;
}

export async function runOn(name: string, server: Server): Promise<Verdict> {
  const check = registry.find((candidate) => candidate.name === name)!;
  const context: CheckContext = {
    transport: "stdio",
    isolated: server.isolated ?? true,
    server: { protocolVersion: "2025-11-25", capabilities: {} },
    tools: () => Promise.resolve(server.tools),
    ask: server.ping ?? (() => Promise.resolve(outcome("pong"))),
    async call(tool, input, { signal } = {}) {
      const answer = Promise.resolve().then(() => server.answer(tool, input, () => signal?.aborted ?? false));
      const aborted = new Promise<never>((_, reject) =>
        signal?.addEventListener("abort", () => reject(signal.reason), { once: true })
      );
      const come = await Promise.race([answer, aborted]);
      return typeof come === "string" ? outcome(come) : come;
    },
    incidents: server.incidents ?? (() => []),
    schemaProblems: () => Promise.resolve([]),
    stop: () => Promise.reject(new Error("stopped")),
  };
  return await runServerCheck(check, context);
}

export const echo: ToolDefinition = tool("echo", { text });
export const echoes = (_tool: string, input: Input): string => JSON.stringify(input);

/** Whether the check has something to do on a server with these tools. */
export const applies = (
  name: string,
  tools: ToolDefinition[],
  place: CallPlace = { isolated: true, harmless: true },
): boolean => registry.find((check) => check.name === name)!.appliesTo!(tools, place);
