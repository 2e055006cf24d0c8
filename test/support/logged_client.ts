/** A real MCP client that keeps everything PTH has sent it, as it came. */
import type { Test } from "tap";
// @ts-types="@modelcontextprotocol/sdk/types"
import { ElicitRequestSchema, type JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { connectMcpClient, type McpClient } from "./mcp_client.ts";
import { pthCommandLine } from "./bundled_pth.ts";

export interface LoggedClient extends Pick<McpClient, "call" | "succeed"> {
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
  const received: string[] = [];
  let stderr = "";
  const { client, call, succeed } = await connectMcpClient(t, {
    server: pthCommandLine("main", "--structured", ...args),
    env,
    capabilities: typed ? { elicitation: { url: {} } } : {},
    // Progress is asked for, so that what steps say is heard, too.
    callOptions: { onprogress: () => {} },
    onStderr: (text) => stderr += text,
    prepare(client, transport) {
      if (typed) client.setRequestHandler(ElicitRequestSchema, ({ params }) => fillIn(params, typed));
      // The client takes the messages from what listened before it.
      transport.onmessage = (message: JSONRPCMessage) => void received.push(JSON.stringify(message));
    },
  });
  return {
    call,
    succeed,
    received: () => received.join("\n"),
    stderr: () => stderr,
    close: () => client.close(),
  };
}

/** Answers PTH's page as a person does. */
async function fillIn(asked: object, typed: Record<string, string>) {
  const url = "url" in asked ? String(asked.url) : "";
  const { ok } = await fetch(url, {
    method: "POST",
    body: new URLSearchParams(typed).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", origin: new URL(url).origin },
  });
  return { action: ok ? "accept" as const : "cancel" as const };
}
