/** PTH's server behind a real client, and a copy of the shop's plugins, in a folder that goes with the test. */
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";
import type { Client } from "@modelcontextprotocol/sdk/client";
import type { ClientCapabilities } from "@modelcontextprotocol/sdk/types";
import { fixture } from "./root.ts";
import { type Answer, connectMcpClient } from "./mcp_client.ts";

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

export async function openShop(
  t: Test,
  { capabilities = {}, env = {} }: { capabilities?: ClientCapabilities; env?: Record<string, string> } = {},
): Promise<Shop> {
  const folder = await mkdtemp(join(tmpdir(), "pth-shop-"));
  await cp(fixture("shop"), join(folder, "plugins"), {
    recursive: true,
  });
  const worktrees = join(folder, "worktrees");
  const own = {
    PTH_HOME: join(folder, "home"),
    PTH_WORKTREE_DIR: worktrees,
    PTH_LOG_FILE: join(folder, "pth.log"),
    PTH_DEBUG: "trace",
    PTH_RETRIES: "0",
  };
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const { client, transport, call } = await connectMcpClient(t, { capabilities, env: { ...own, ...env } });
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
