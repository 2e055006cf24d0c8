// test: timeout=240
/** After a reload everything that is asked goes to the new servers: those of a pool, and those on a port. */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import type { SessionTarget } from "../../../machines/model/session.ts";
import { createHarness } from "../../../src/app/create_harness.ts";
import type { Session } from "../../../src/api/harness.ts";
import { signalProcess } from "../../../src/platform/process.ts";
import { tryConnect } from "../../../src/platform/sockets.ts";
import { serializeTests } from "../../../src/testing/format/serialize_tests.ts";
import { freePort } from "../../contracts/runtime/context.ts";
import { temporaryWorld, writeFiles } from "../../src/session/helpers.ts";
import { testOf } from "../../src/testing/observed.ts";
import { smallServer } from "../../support/small_server.ts";

t.setTimeout(230_000);
const fixture = (path: string) => fileURLToPath(new URL(`../../fixtures/${path}`, import.meta.url));

/** A session on plain processes with the plugin loaded. */
async function load(t: Test, target: SessionTarget): Promise<Session> {
  const harness = await createHarness();
  t.teardown(() => harness.close());
  await harness.startSession(target, { mode: "session" });
  const session = harness.session();
  await session.environment.provision({ runtime: "host" });
  await session.plugin.load({});
  return session;
}

const alive = (pid: number): boolean => signalProcess(pid, 0);
const only = (session: Session): number => session.plugin.status().connections[0]!.pid!;
const visit = async (session: Session) => (await session.plugin.call("visits", {})).text;

const httpServer = ["node", fixture("http_server/server.mjs")];

t.test("calls go to the new server on a port that PTH chooses", async (t) => {
  await temporaryWorld(t);
  const session = await load(t, { command: httpServer, url: "http://127.0.0.1:{port}/mcp" });
  t.strictSame([await visit(session), await visit(session)], ["1", "2"]);
  const old = only(session);
  const { closed } = await session.plugin.reload();
  t.match(closed, [{ how: "sigterm", orphans: [] }]);
  t.notOk(alive(old));
  t.not(only(session), old);
  t.equal(await visit(session), "1", "a new server begins to count");
});

t.test("sessions that begin together have a server each", async (t) => {
  await temporaryWorld(t);
  const target = { command: httpServer, url: "http://127.0.0.1:{port}/mcp" };
  const sessions = await Promise.all([load(t, target), load(t, target)]);
  t.strictSame(await Promise.all(sessions.map(visit)), ["1", "1"]);
});

t.test("a server keeps the port that its configuration names, and moves when that names another", async (t) => {
  const { folder } = await temporaryWorld(t);
  const [first, second] = [await freePort(), await freePort()];
  const [command, ...args] = httpServer;
  const url = `http://127.0.0.1:${first}/mcp`;
  await writeFiles(folder, { ".mcp.json": JSON.stringify({ mcpServers: { web: { command, args, url } } }) });
  // Only servers that are the plugin's own count where there is no plugin.json.
  await writeFiles(folder, { ".claude-plugin/plugin.json": '{"name":"web"}' });
  const session = await load(t, { target: folder });
  const listens = async (port: number) => {
    const socket = await tryConnect("127.0.0.1", port, 10_000);
    socket?.destroy();
    return socket !== undefined;
  };
  t.equal(await visit(session), "1");
  await session.plugin.reload();
  t.equal(await visit(session), "1", "the same port, a new server");
  t.ok(await listens(first));
  const move = { path: ".mcp.json", find: `:${first}/`, replace: `:${second}/` };
  const { reload } = await session.fixes.apply({ tests: [], title: "move", edits: [move], reload: true });
  t.match(reload, { tools: { added: [], removed: [], changed: [], total: 3 } });
  t.equal(await visit(session), "1");
  t.strictSame([await listens(first), await listens(second)], [false, true]);
});

/** Answers once three servers were called, so that none of them is quick enough to do the others' work. */
const meetingServer = (meeting: string) =>
  smallServer({
    name: "meeting",
    head: `import { readdirSync, writeFileSync } from "node:fs";
const pause = new Int32Array(new SharedArrayBuffer(4));
function meet(folder) {
  writeFileSync(folder + "/" + process.pid, "");
  while (readdirSync(folder).length < 3) Atomics.wait(pause, 0, 0, 20);
  return "met";
}`,
    tools: '[{ name: "meet", description: "Meets two others", inputSchema: { type: "object" } }]',
    text: `meet(${JSON.stringify(meeting)})`,
  });

t.test("a pool of three is replaced by another three", async (t) => {
  const { folder } = await temporaryWorld(t);
  const meeting = join(folder, "meeting");
  await writeFiles(folder, { "server.mjs": meetingServer(meeting) });
  const session = await load(t, { command: ["node", join(folder, "server.mjs")] });
  const tests = Array.from(
    { length: 9 },
    (_, at) => testOf({ id: `t${at}`, name: `t${at}`, tool: "meet", input: {} }),
  );
  await writeFiles(folder, { "tests.yaml": serializeTests(tests) });
  await session.tests.use(join(folder, "tests.yaml"));
  const round = async () => {
    await rm(meeting, { recursive: true, force: true });
    await mkdir(meeting);
    const { summary, results } = await session.tests.runSuite({ workers: 3 });
    t.match(summary, { passed: 9 });
    return [...new Set(results.map(({ serverPid }) => serverPid!))];
  };
  const before = await round();
  t.equal(before.length, 3);
  await session.plugin.reload();
  t.strictSame(before.filter(alive), [], "none of the old is left");
  const after = await round();
  t.equal(after.length, 3);
  t.strictSame(after.filter((pid) => before.includes(pid)), []);
});

const ends = { ignores_sigterm: "sigkill", none: "stdin-eof" };
for (const [fault, how] of Object.entries(ends)) {
  t.test(`a server with the fault ${fault} is ended by ${how}`, async (t) => {
    await temporaryWorld(t);
    const session = await load(t, {
      command: ["node", fixture("faulty_servers/faulty.mjs"), "--fault", fault],
    });
    const old = only(session);
    t.match((await session.plugin.reload()).closed, [{ how, orphans: [] }]);
    t.notOk(alive(old));
    t.strictSame(session.tests.results().findings, []);
  });
}
