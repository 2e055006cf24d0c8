// test: timeout=300
/** A host that goes away, or a signal, in the middle of a session: nothing of the session is left. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { initialize, initialized, line, type RawServer, startRaw } from "../../support/mcp_process.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";

const slow = { timeout: 120_000 };
t.setTimeout(slow.timeout * 2);

const callTool = (id: number, name: string, args: Record<string, unknown>) =>
  line({ id, method: "tools/call", params: { name, arguments: args, _meta: { progressToken: id } } });

/** The answer to a request, past the notifications that come before it. */
async function answer(server: RawServer, id: number): Promise<Record<string, unknown>> {
  for (;;) {
    const message = await server.next();
    if (message["id"] === id) return message;
  }
}

async function progressOf(server: RawServer, phase: string): Promise<void> {
  for (;;) {
    const message = await server.next() as { method?: string; params?: { message?: string } };
    if (message.method === "notifications/progress" && message.params?.message?.startsWith(phase)) return;
  }
}

/** A session whose plugin is being installed. */
async function installing(folder: string): Promise<RawServer> {
  const pluginPath = await copyFixture("sample_plugin", folder);
  const server = await startRaw([], {
    PTH_HOME: join(folder, "home"),
    PTH_WORKTREE_DIR: join(folder, "worktrees"),
  });
  server.write(initialize + initialized + callTool(2, "pth_start_session", { pluginPath }));
  t.notOk(((await answer(server, 2))["result"] as { isError?: boolean }).isError);
  server.write(callTool(3, "pth_provision_environment", { runtime: "host" }));
  t.notOk(((await answer(server, 3))["result"] as { isError?: boolean }).isError);
  server.write(callTool(4, "pth_load_plugin", {}));
  await progressOf(server, "install");
  return server;
}

const ends: [string, (server: RawServer) => void, number][] = [
  ["the host hangs up", (server) => void server.process.stdin.end(), 0],
  ["SIGTERM", (server) => server.process.kill("SIGTERM"), 143],
  ["SIGINT", (server) => server.process.kill("SIGINT"), 130],
];

for (const [name, end, code] of ends) {
  t.test(`${name} while the plugin is being installed`, slow, async (t) => {
    const folder = await temporaryFolder(t);
    const server = await installing(folder);
    t.equal((await readdir(join(folder, "worktrees"))).length, 1);
    end(server);
    t.strictSame(await server.process.exited, { code, signal: null });
    t.strictSame(await readdir(join(folder, "worktrees")), []);
    t.strictSame((await readdir(join(folder, "sample_plugin/.pth"))).filter((file) => /lock/.test(file)), []);
    t.equal(server.stderr(), "");
  });
}
