/** A real MCP client with a PTH of its own, whose state lies in a folder of the test. */
import { chown } from "node:fs/promises";
import { join } from "node:path";
import type { Test } from "tap";
import { runCommand } from "../../src/platform/process.ts";
import { makeRepository } from "../src/session/helpers.ts";
import { temporaryFolder } from "./temporary_folder.ts";
import { connectMcpClient, type McpClient } from "./mcp_client.ts";
import { pthCommandLine } from "./bundled_pth.ts";

export type { Answer, CallOptions } from "./mcp_client.ts";

export interface SessionClient extends Pick<McpClient, "call" | "succeed"> {
  /** For the test's own files; goes with the test. */
  folder: string;
  /** PTH's own state. */
  home: string;
  /** A session with the plugin loaded; false, said as a skip, where this machine has no such environment. */
  begin(t: Test, files: Record<string, string | Uint8Array>, runtime: string): Promise<boolean>;
}

/**
 * @param uid User whose PTH it is, for a test that runs as root; default: the test's own.
 * @param server Command line of the server; default: that of the sources.
 */
export async function openSessionClient(
  t: Test,
  env: Record<string, string> = {},
  uid?: number,
  server: readonly string[] = pthCommandLine("main", "--structured"),
): Promise<SessionClient> {
  const folder = await temporaryFolder(t);
  const home = join(folder, "home");
  if (uid !== undefined) await chown(folder, uid, uid);
  const as = uid === undefined ? [] : ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"];
  const own = {
    PTH_HOME: home,
    PTH_WORKTREE_DIR: join(folder, "worktrees"),
    ...(uid === undefined ? {} : { HOME: folder, DENO_DIR: join(folder, "deno") }),
  };
  const { call, succeed } = await connectMcpClient(t, {
    server: [...as, ...server],
    env: { ...own, ...env },
  });

  async function begin(
    t: Test,
    files: Record<string, string | Uint8Array>,
    runtime: string,
  ): Promise<boolean> {
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
