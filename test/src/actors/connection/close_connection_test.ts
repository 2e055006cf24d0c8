import t from "tap";
import { createActor, toPromise } from "xstate";
import { closeConnection, recordOrphan } from "../../../../src/actors/connection/close_connection.ts";
import { markCall, newUnhandledErrors } from "../../../../src/actors/tests/new_unhandled_errors.ts";
import { recordErrorsUnderWay } from "../../../../src/actors/tests/record_late_errors.ts";
import { endInstance } from "../../../../src/actors/connection/end_instance.ts";
import type { LiveEnvironment } from "../../../../src/actors/stores/environment_holder.ts";
import type { Connection } from "../../../../src/client/connection.ts";
import type { Hurry } from "../../../../src/client/server_process.ts";
import type { TestCase } from "../../../../machines/model/test_case.ts";
import { PthError } from "../../../../src/core/errors.ts";
import { liveSession } from "../live.ts";

t.test("a process that was left behind is one finding, however often it is left", (t) => {
  const { live } = liveSession();
  for (const orphan of ["sleep 60", "sleep 60", "node worker.js"]) recordOrphan(live, orphan);
  t.match(live.evidence.findings, [
    { severity: "error", code: "orphaned-process", message: /: sleep 60$/ },
    { severity: "error", code: "orphaned-process", message: /: node worker.js$/ },
  ]);
  t.equal(live.evidence.findings.length, 2);
  t.end();
});

t.test("a server that leaves another command line each time does not fill the report", (t) => {
  const { live } = liveSession();
  for (let port = 1; port <= 100; port++) recordOrphan(live, `serve --port ${port}`);
  t.equal(live.evidence.findings.length, 20);
  t.end();
});

t.test("command lines may hold a secret, and are told without it", async (t) => {
  const { live } = liveSession({ TOKEN: "hyacinth-1637" });
  const report = { how: "stdin-eof", waitedMs: 1, exitCode: 0, orphans: ["serve --token hyacinth-1637"] };
  live.connections.open.set("c1", { close: () => Promise.resolve(report) } as unknown as Connection);
  const closing = createActor(closeConnection(() => live), { input: { connectionId: "c1" } }).start();
  t.strictSame((await toPromise(closing)).orphans, ["serve --token [REDACTED]"]);
  t.match(live.evidence.findings, [{ message: /serve --token \[REDACTED\]$/ }]);
  t.equal(live.connections.open.size, 0);
});

const stderrReport = "Unhandled rejection: Error: hyacinth-1637\n";

/** A connection whose last test is over; `write` comes on stderr later. */
async function tested(members: (write: (text: string) => void) => Partial<Connection>) {
  let stderr = "";
  const connection = { stderrTail: () => stderr, ...members((text) => stderr += text) } as Connection;
  const noteAnswer = await markCall(connection, "save", {});
  noteAnswer({ isError: false, text: "saved" });
  newUnhandledErrors(connection, { id: "t1" } as TestCase);
  const { live } = liveSession({ TOKEN: "hyacinth-1637" });
  live.connections.open.set("c1", connection);
  return live;
}

t.test("an unhandled error at the end of a server is told, without secrets, until its last test runs again", async (t) => {
  const live = await tested((write) => ({
    close() {
      write(stderrReport);
      return Promise.resolve({ how: "stdin-eof", waitedMs: 1, exitCode: 0, orphans: [], survivors: [] });
    },
  }));
  await toPromise(createActor(closeConnection(() => live), { input: { connectionId: "c1" } }).start());
  t.match([...live.evidence.late.values()], [{ message: /^the server, while it ended, .*: \[REDACTED\]$/ }]);
  live.evidence.forget(["t1"]);
  t.equal(live.evidence.late.size, 0);
});

for (const [how, answers] of [["answers a ping", true], ["is silent", false]] as const) {
  t.test(`an unhandled error on a connection that stays open is the last call's: it ${how}`, async (t) => {
    const live = await tested((write) => ({
      ping() {
        write(stderrReport);
        return answers ? Promise.resolve(1) : Promise.reject(new PthError("SERVER_SILENT", "no answer"));
      },
    }));
    await recordErrorsUnderWay(live);
    t.match([...live.evidence.late], [["t1", {
      tool: "save",
      message: /^save, after its answer, .*\[REDACTED\]$/,
    }]]);
  });
}

t.test("servers that the end of their input does not end are not waited for again", async (t) => {
  const { live } = liveSession();
  const given: unknown[] = [];
  const close = async (id: string, how: string, plan: object) => {
    const connection = {
      id,
      close: ({ graceMs }: { graceMs: number }) => {
        given.push(graceMs);
        return Promise.resolve({ how, waitedMs: graceMs, exitCode: 0, orphans: [] });
      },
    };
    live.connections.add(connection as unknown as Connection, plan as never);
    await toPromise(createActor(closeConnection(() => live), { input: { connectionId: id } }).start());
  };
  const [deaf, other] = [{}, {}];
  await close("c1", "stdin-eof", deaf);
  await close("c2", "sigterm", deaf);
  await close("c3", "sigterm", deaf);
  await close("c4", "sigterm", other);
  t.same(given, [2000, 2000, 100, 2000], "a plugin that was changed is another one");
});

t.test("a session that ends has little patience with its servers, and more on the host", async (t) => {
  for (const [isolated, patience] of [[true, 100], [false, 500]] as const) {
    const { live } = liveSession();
    const hurries: Hurry[] = [];
    live.environment.current = { runtime: { abilities: { isolated } } } as LiveEnvironment;
    live.connections.open.set("c1", {
      close({ hurry }: { hurry: Hurry }) {
        hurries.push(hurry);
        return Promise.resolve({ how: "stdin-eof", waitedMs: 1, exitCode: 0, orphans: [], survivors: [] });
      },
    } as unknown as Connection);
    await toPromise(createActor(closeConnection(() => live), { input: { connectionId: "c1" } }).start());
    t.match(hurries, [{ graceMs: patience, signal: { aborted: false } }]);
    live.tasks.leaving.abort();
    t.match(hurries, [{ signal: { aborted: true } }]);
  }
});

t.test("what a server left is looked for where its environment stays, or isolates nothing", async (t) => {
  const looks: string[] = [];
  const environment = (
    isolated: boolean,
    name: string,
    exec = () => Promise.resolve({ stdout: "orphan sleep 60\n" }),
  ) =>
    ({
      runtime: { abilities: { isolated }, exec: () => (looks.push(name), exec()) },
      info: { handle: {} },
    }) as unknown as LiveEnvironment;
  const leaving = new AbortController();
  const look = (place: LiveEnvironment) => endInstance(place, "s/c1", leaving.signal)({ judged: false });
  t.same((await look(environment(true, "stays"))).orphans, ["sleep 60"]);
  const begun = look(environment(true, "begun", () => new Promise(() => {})));
  leaving.abort();
  t.same(await begun, { orphans: [], survivors: [] }, "not waited for any more");
  t.same((await look(environment(true, "goes"))).orphans, []);
  t.same((await look(environment(false, "host"))).orphans, ["sleep 60"]);
  t.same(looks, ["stays", "begun", "host"]);
});

t.test("a server whose start was given up has ended before its connection is closed", async (t) => {
  const { live } = liveSession();
  let giveUp = (_error: Error) => {};
  const opening = live.connections.opening("c1", new Promise((_, reject) => giveUp = reject));
  const closing = createActor(closeConnection(() => live), { input: { connectionId: "c1" } }).start();
  await new Promise(setImmediate);
  t.equal(closing.getSnapshot().status, "active");
  giveUp(new Error("given up"));
  await t.rejects(opening, { message: "given up" });
  t.match(await toPromise(closing), { how: "already-gone" });
  await live.connections.openingOver("c1");
});
