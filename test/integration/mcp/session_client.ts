/** A real MCP client with a PTH of its own, whose state lies in a folder of the test. */
import { chown } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import type { Test } from "tap";
import { Client } from "@modelcontextprotocol/sdk/client";
// Deno does not find the declarations behind this package's pattern export when the name ends in ".js".
// @ts-types="@modelcontextprotocol/sdk/client/stdio"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types";
import { runCommand } from "../../../src/platform/process.ts";
import { makeRepository } from "../../src/session/helpers.ts";
import { temporaryFolder } from "../temporary_folder.ts";
import { type Answer, answerOf, learnSchemas } from "./answer.ts";
import { mcpCommand } from "./mcp_process.ts";

export type { Answer } from "./answer.ts";

/** Of the MCP client: its signal, who hears of progress. */
export type CallOptions = NonNullable<Parameters<Client["callTool"]>[2]>;

export interface SessionClient {
  /** For the test's own files; goes with the test. */
  folder: string;
  /** PTH's own state. */
  home: string;
  call(name: string, input?: Record<string, unknown>, options?: CallOptions): Promise<Answer>;
  /** A call that must not be refused. */
  succeed(t: Test, name: string, input?: Record<string, unknown>): Promise<Answer>;
  /** A session with the plugin loaded; false, said as a skip, where this machine has no such environment. */
  begin(t: Test, files: Record<string, string>, runtime: string): Promise<boolean>;
}

/** Longest wait for one answer, in ms: installing takes as long as the registry takes. */
const answerTimeoutMs = 240_000;

/**
 * @param uid User whose PTH it is, for a test that runs as root; default: the test's own.
 * @param server Command line of the server; default: that of the sources.
 */
export async function openSessionClient(
  t: Test,
  env: Record<string, string> = {},
  uid?: number,
  server: readonly string[] = mcpCommand("--structured"),
): Promise<SessionClient> {
  const folder = await temporaryFolder(t);
  const home = join(folder, "home");
  if (uid !== undefined) await chown(folder, uid, uid);
  const as = uid === undefined ? [] : ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"];
  const [command, ...args] = [...as, ...server] as [string, ...string[]];
  const own = {
    PTH_HOME: home,
    PTH_WORKTREE_DIR: join(folder, "worktrees"),
    ...(uid === undefined ? {} : { HOME: folder, DENO_DIR: join(folder, "deno") }),
  };
  const transport = new StdioClientTransport({
    command,
    args,
    env: { ...process.env as Record<string, string>, ...own, ...env },
  });
  const client = new Client({ name: "test", version: "1" });
  t.teardown(() => client.close());
  await client.connect(transport as Transport);

  async function call(
    name: string,
    input: Record<string, unknown> = {},
    options: CallOptions = {},
  ): Promise<Answer> {
    const result = await client.callTool({ name, arguments: input }, undefined, {
      timeout: answerTimeoutMs,
      ...options,
    }) as CallToolResult;
    await learnSchemas(client, name);
    return answerOf(result);
  }

  async function succeed(t: Test, name: string, input: Record<string, unknown> = {}): Promise<Answer> {
    const answer = await call(name, input);
    t.notOk(answer.isError, `${name}: ${answer.text}`);
    return answer;
  }

  async function begin(t: Test, files: Record<string, string>, runtime: string): Promise<boolean> {
    const pluginPath = join(folder, `plugin ${crypto.randomUUID().slice(0, 6)}`);
    await makeRepository(pluginPath, files);
    if (uid !== undefined) await runCommand(["chown", "-R", `${uid}:${uid}`, pluginPath]);
    await succeed(t, "pth_start_session", { pluginPath });
    const provisioned = await call("pth_provision_environment", { runtime });
    if (/\[(RUNTIME_UNAVAILABLE|IMAGE_MISSING)\]/.test(provisioned.text)) {
      t.pass(`${runtime} is not ready here`, { skip: provisioned.text });
      await succeed(t, "pth_end_session");
      return false;
    }
    t.notOk(provisioned.isError, provisioned.text);
    await succeed(t, "pth_load_plugin");
    return true;
  }

  return { folder, home, call, succeed, begin };
}
