/** A real MCP client that keeps everything PTH has sent it, as it came. */
import process from "node:process";
import type { Test } from "tap";
import { Client } from "@modelcontextprotocol/sdk/client";
// Deno does not find the declarations behind this package's pattern export when the name ends in ".js".
// @ts-types="@modelcontextprotocol/sdk/client/stdio"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
// @ts-types="@modelcontextprotocol/sdk/types"
import {
  type CallToolResult,
  ElicitRequestSchema,
  type JSONRPCMessage,
} from "@modelcontextprotocol/sdk/types.js";
import { mcpCommand } from "../mcp/mcp_process.ts";
import { type Answer, answerOf, learnSchemas } from "../mcp/answer.ts";

export interface LoggedClient {
  call(name: string, input?: Record<string, unknown>): Promise<Answer>;
  /** A call that must not be refused. */
  succeed(t: Test, name: string, input?: Record<string, unknown>): Promise<Answer>;
  /** Every message of PTH's, one per line. */
  received(): string;
  stderr(): string;
  close(): Promise<void>;
}

export async function openLoggedClient(
  t: Test,
  args: string[],
  env: Record<string, string>,
  /** What a person types on a page that the client is asked to open (elicitation in URL mode). */
  typed?: Record<string, string>,
): Promise<LoggedClient> {
  const [command, ...words] = mcpCommand("--structured", ...args);
  const variables = { ...process.env as Record<string, string>, ...env };
  const transport = new StdioClientTransport({ command, args: words, env: variables, stderr: "pipe" });
  const received: string[] = [];
  let stderr = "";
  transport.stderr?.on("data", (chunk) => stderr += String(chunk));
  const capabilities = typed ? { elicitation: { url: {} } } : {};
  const client = new Client({ name: "test", version: "1" }, { capabilities });
  if (typed) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      const url = params.mode === "url" ? params.url : "";
      const headers = { "content-type": "application/x-www-form-urlencoded", origin: new URL(url).origin };
      const { ok } = await fetch(url, {
        method: "POST",
        body: new URLSearchParams(typed).toString(),
        headers,
      });
      return { action: ok ? "accept" as const : "cancel" as const };
    });
  }
  await client.connect(transport as Transport);
  const deliver = transport.onmessage;
  transport.onmessage = (message: JSONRPCMessage) => {
    received.push(JSON.stringify(message));
    deliver?.(message);
  };
  t.teardown(() => client.close());

  async function call(name: string, input: Record<string, unknown> = {}): Promise<Answer> {
    // Progress is asked for, so that what steps say is heard, too.
    const options = { timeout: 120_000, onprogress: () => {} };
    const result = await client.callTool({ name, arguments: input }, undefined, options) as CallToolResult;
    await learnSchemas(client, name);
    return answerOf(result);
  }

  return {
    call,
    async succeed(t, name, input) {
      const answer = await call(name, input);
      t.notOk(answer.isError, `${name}: ${answer.text.slice(0, 2000)}`);
      return answer;
    },
    received: () => received.join("\n"),
    stderr: () => stderr,
    close: () => client.close(),
  };
}
