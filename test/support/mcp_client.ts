/** A real MCP client with a PTH of its own. */
import process from "node:process";
import type { Test } from "tap";
import { Client } from "@modelcontextprotocol/sdk/client";
// Deno does not find the declarations behind this package's pattern export when the name ends in ".js".
// @ts-types="@modelcontextprotocol/sdk/client/stdio"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
import type { CallToolResult, ClientCapabilities } from "@modelcontextprotocol/sdk/types";
import { pthCommandLine } from "./bundled_pth.ts";

/** A structured answer of PTH, as tests look into it. */
export interface Answer {
  text: string;
  /** Facts; those of a failed call in `error`. */
  data: Record<string, unknown>;
  isError: boolean;
}

/** Of the MCP client: its signal, who hears of progress. */
export type CallOptions = NonNullable<Parameters<Client["callTool"]>[2]>;

export interface McpClientOptions {
  /** Command line of the server; default: PTH with structured answers. */
  server?: readonly string[];
  env?: Record<string, string>;
  cwd?: string;
  capabilities?: ClientCapabilities;
  /** Added to each call. */
  callOptions?: CallOptions;
  /** Called before the handshake, to hear all that the server sends. */
  prepare?(client: Client, transport: StdioClientTransport): void;
  /** Hears what the server writes on stderr, which else goes to that of this process. */
  onStderr?(text: string): void;
}

export interface McpClient {
  client: Client;
  transport: StdioClientTransport;
  call(name: string, input?: Record<string, unknown>, options?: CallOptions): Promise<Answer>;
  /** A call that must not be refused. */
  succeed(t: Test, name: string, input?: Record<string, unknown>): Promise<Answer>;
}

/** Longest wait for one answer, in ms: installing takes as long as the registry takes. */
const answerTimeoutMs = 240_000;
const beginnings: ReadonlySet<string> = new Set(["pth_start_session", "pth_resume_session"]);

/** Starts the server, which ends with the test; it has the variables of this process besides those given. */
export async function connectMcpClient(
  t: Pick<Test, "teardown">,
  { server = pthCommandLine("main", "--structured"), env, cwd, capabilities, ...options }: McpClientOptions =
    {},
): Promise<McpClient> {
  const [command, ...args] = server as [string, ...string[]];
  const transport = new StdioClientTransport({
    command,
    args,
    env: { ...process.env as Record<string, string>, ...env },
    ...(cwd === undefined ? {} : { cwd }),
    stderr: options.onStderr ? "pipe" : "inherit",
  });
  transport.stderr?.on("data", (chunk) => options.onStderr?.(String(chunk)));
  const client = new Client({ name: "test", version: "1" }, { capabilities: capabilities ?? {} });
  t.teardown(() => client.close());
  options.prepare?.(client, transport);
  await client.connect(transport as Transport);

  async function call(
    name: string,
    input: Record<string, unknown> = {},
    more: CallOptions = {},
  ): Promise<Answer> {
    const callOptions = { timeout: answerTimeoutMs, ...options.callOptions, ...more };
    const result = await client.callTool(
      { name, arguments: input },
      undefined,
      callOptions,
    ) as CallToolResult;
    // With the list the client refuses answers that do not fit their tools' schemas, from the start of a session on.
    if (beginnings.has(name)) await client.listTools();
    return answerOf(result);
  }

  return {
    client,
    transport,
    call,
    async succeed(t, name, input) {
      const answer = await call(name, input);
      t.notOk(answer.isError, `${name}: ${answer.text.slice(0, 2000)}`);
      return answer;
    },
  };
}

export function answerOf({ content, structuredContent, isError, _meta }: CallToolResult): Answer {
  const text = content.map((part) => part.type === "text" ? part.text : "").join("\n");
  const error = _meta?.["pth/error"];
  const data = structuredContent ?? (error === undefined ? {} : { error });
  return { text, data, isError: isError === true };
}
