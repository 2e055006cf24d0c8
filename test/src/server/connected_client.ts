/** The whole server in this process, with the SDK's client at the other end of two streams. */
import { PassThrough } from "node:stream";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
import { Client } from "@modelcontextprotocol/sdk/client";
// Deno does not find the declarations behind this package's pattern export when the name ends in ".js".
// @ts-types="@modelcontextprotocol/sdk/server/stdio"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { CallToolResult, ClientCapabilities } from "@modelcontextprotocol/sdk/types";
import { serveMcp, type ServeOptions } from "../../../src/server/main.ts";
import { type Script, type ScriptedHarness, scriptedHarness } from "./scripted_harness.ts";

export interface Connected {
  client: Client;
  harness: ScriptedHarness;
  /** To write to the server by hand. */
  input: PassThrough;
  served: Promise<number>;
  /** Whether the server has asked for a harness. */
  created(): number;
  call(name: string, args?: Record<string, unknown>): Promise<CallToolResult>;
  names(): Promise<string[]>;
  /** Closes the server's stdin, as a host that ends does. */
  hangUp(): Promise<number>;
}

/** @param options By default with structured content, which tests look into. */
export async function connect(
  script: Script = {},
  options: ServeOptions = {},
  capabilities: ClientCapabilities = {},
): Promise<Connected> {
  const input = new PassThrough();
  const output = new PassThrough();
  const harness = scriptedHarness(script);
  let created = 0;
  const createHarness = async () => {
    created++;
    await script.create?.();
    return harness;
  };
  const served = serveMcp({ structured: true, ...options }, { input, output, createHarness });
  const client = new Client({ name: "test", version: "1" }, { capabilities });
  await client.connect(new StdioServerTransport(output, input) as Transport);
  return {
    client,
    harness,
    input,
    served,
    created: () => created,
    call: async (name, args = {}) => await client.callTool({ name, arguments: args }) as CallToolResult,
    names: async () => (await client.listTools()).tools.map((tool) => tool.name).sort(),
    hangUp: async () => {
      input.end();
      const code = await served;
      await client.close();
      return code;
    },
  };
}

export const textOf = (result: CallToolResult): string =>
  result.content.map((part) => part.type === "text" ? part.text : `(${part.type})`).join("\n");
