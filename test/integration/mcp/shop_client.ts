/** PTH's server behind a real client, and a copy of the shop's plugins, in a folder that goes with the test. */
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Test } from "tap";
import { Client } from "@modelcontextprotocol/sdk/client";
// Deno does not find the declarations behind this package's pattern export when the name ends in ".js".
// @ts-types="@modelcontextprotocol/sdk/client/stdio"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
import type { CallToolResult, ClientCapabilities } from "@modelcontextprotocol/sdk/types";
import { type Answer, answerOf, learnSchemas } from "./answer.ts";
import { mcpCommand } from "./mcp_process.ts";

export interface Shop {
  folder: string;
  /** Folder of one of its plugins. */
  plugin(name: string): string;
  client: Client;
  pid: number;
  call(name: string, input?: Record<string, unknown>): Promise<Answer>;
  /** What the plugin's tool says. */
  use(tool: string, input?: Record<string, unknown>): Promise<string>;
  /** Names of what lies in the folder for worktrees. */
  copies(): Promise<string[]>;
  /** All that PTH wrote below its own folders and to its log. */
  written(): Promise<string>;
}

const limit = 120_000;

export async function openShop(
  t: Test,
  { capabilities = {}, env = {} }: { capabilities?: ClientCapabilities; env?: Record<string, string> } = {},
): Promise<Shop> {
  const folder = await mkdtemp(join(tmpdir(), "pth-shop-"));
  await cp(fileURLToPath(new URL("../../fixtures/shop", import.meta.url)), join(folder, "plugins"), {
    recursive: true,
  });
  const worktrees = join(folder, "worktrees");
  const [command, ...args] = mcpCommand("--structured");
  const transport = new StdioClientTransport({
    command,
    args,
    env: {
      ...process.env as Record<string, string>,
      PTH_HOME: join(folder, "home"),
      PTH_WORKTREE_DIR: worktrees,
      PTH_LOG_FILE: join(folder, "pth.log"),
      PTH_DEBUG: "trace",
      PTH_RETRIES: "0",
      ...env,
    },
  });
  const client = new Client({ name: "test", version: "1" }, { capabilities });
  await client.connect(transport as Transport);
  t.teardown(async () => {
    await client.close();
    await rm(folder, { recursive: true, force: true });
  });
  const call = async (name: string, input: Record<string, unknown> = {}): Promise<Answer> => {
    const result = await client.callTool({ name, arguments: input }, undefined, { timeout: limit });
    await learnSchemas(client, name);
    return answerOf(result as CallToolResult);
  };
  return {
    folder,
    client,
    pid: transport.pid!,
    call,
    plugin: (name) => join(folder, "plugins", name),
    use: async (tool, input = {}) =>
      (await call("pth_call_plugin_tool", { tool, input })).text.replace(/^.* answered .*\n/, ""),
    copies: () => readdir(worktrees).catch(() => []),
    written: async () => {
      const names = await readdir(join(folder, "home"), { recursive: true, withFileTypes: true });
      const files = names.filter((entry) => entry.isFile()).map(({ parentPath, name }) =>
        join(parentPath, name)
      );
      const texts = await Promise.all(
        [...files, join(folder, "pth.log")].map((file) => readFile(file, "utf8")),
      );
      return texts.join("\n");
    },
  };
}
