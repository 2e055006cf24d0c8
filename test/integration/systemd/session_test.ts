// test: timeout=180
/** Sessions of `pth mcp` on a machine with systemd, and the environments that they start ahead. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { connectEngine } from "../../../src/runtimes/docker/engine.ts";
import { eventually } from "../../contracts/runtime/context.ts";
import { writeFiles } from "../../src/session/helpers.ts";
import { pth } from "../../support/pth.ts";
import { initialize, initialized, line, startRaw } from "../../support/mcp_process.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { needsSystemd } from "./systemd_subject.ts";

t.setTimeout(180_000);

interface Answer {
  text: string;
  data: { sessionId: string; environment: { environmentId: string }; advisory: string };
}

/** A session with an environment, and the next one started ahead. */
async function sessionWithSpare(t: Test) {
  const folder = await temporaryFolder(t);
  const plugin = join(folder, "plugin");
  await mkdir(plugin);
  await writeFiles(plugin, { "package.json": '{"name":"demo","version":"1.0.0"}\n' });
  const env = { PTH_HOME: join(folder, "home"), PTH_WORKTREE_DIR: join(folder, "worktrees") };
  const server = await startRaw(["--structured"], env);
  server.write(initialize + initialized);
  let id = 1;
  const call = async (name: string, args: Record<string, unknown>): Promise<Answer> => {
    server.write(line({ id: ++id, method: "tools/call", params: { name, arguments: args } }));
    for (;;) {
      const message = await server.next() as {
        id?: number;
        result: { isError?: boolean; content: { text: string }[]; structuredContent: Answer["data"] };
      };
      if (message.id !== id) continue;
      const { isError, content, structuredContent } = message.result;
      t.notOk(isError, `${name}: ${content[0]!.text.slice(0, 500)}`);
      return { text: content[0]!.text, data: structuredContent };
    }
  };
  await call("pth_start_session", { pluginPath: plugin });
  const provisioned = await call("pth_provision_environment", { runtime: "systemd" });
  const sessionId = provisioned.data.environment.environmentId.replace(/-e1$/, "");
  const containers = async () => {
    const filters = { label: [`pth.session=${sessionId}`] };
    return await (await connectEngine()).listContainers({ all: true, filters });
  };
  t.ok(await eventually(async () => (await containers()).length === 2), "the next one is started ahead");
  return { server, call, env, containers, provisioned };
}

t.test("a session on systemd", needsSystemd, async (t) => {
  await t.test("tells what privileges mean, and takes the next environment from those started ahead", async (t) => {
    const { server, call, containers, provisioned } = await sessionWithSpare(t);
    t.match(provisioned.text, /Mind: This container is privileged/);
    t.match(provisioned.data.advisory, /virtual machine/);
    const { data } = await call("pth_reprovision_environment", {});
    t.match(data.environment.environmentId, /-w1$/);
    t.match(await call("pth_exec_in_environment", { command: ["systemctl", "is-system-running"] }), {
      text: /running/,
    });
    await call("pth_end_session", {});
    t.same(await containers(), [], "the session's end leaves none, claimed or not");
    server.process.stdin.end();
    await server.process.exited;
  });

  await t.test("that is killed leaves them to pth clean", async (t) => {
    const { server, env, containers } = await sessionWithSpare(t);
    server.process.kill("SIGKILL");
    await server.process.exited;
    t.equal((await containers()).length, 2);
    const { code, stderr } = await pth(["clean"], { env });
    t.equal(code, 0, stderr);
    t.same(await containers(), []);
  });
});
