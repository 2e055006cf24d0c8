import { PassThrough, Writable } from "node:stream";
import t from "tap";
import { followProcess, groupLeft } from "../../../src/client/server_process.ts";
import type { ExitStatus } from "../../../src/platform/process.ts";
import type { EnvironmentProcess } from "../../../src/runtimes/runtime.ts";

/** A process that ends by one thing alone; tells what it was sent. */
function processThat(endsBy: string) {
  const sent: string[] = [];
  let end = (_status: ExitStatus) => {};
  const exited = new Promise<ExitStatus>((resolve) => end = resolve);
  const hear = (what: string) => {
    sent.push(what);
    if (what === endsBy) end({ code: 0, signal: null });
  };
  const stdin = new Writable({ final: (done) => (hear("eof"), done()) });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const kill: EnvironmentProcess["kill"] = (signal, whom = "group") =>
    Promise.resolve(hear(`${signal} ${whom}`));
  return { sent, process: { pid: 7, stdin, stdout, stderr, exited, kill } };
}

const orders: [endsBy: string, politely: "eof" | "sigterm", how: string, sent: string[]][] = [
  ["eof", "eof", "stdin-eof", ["eof"]],
  ["SIGTERM leader", "sigterm", "sigterm", ["eof", "SIGTERM leader"]],
  ["SIGTERM group", "sigterm", "sigterm", ["eof", "SIGTERM leader", "SIGTERM group"]],
  ["SIGKILL group", "sigterm", "sigkill", ["eof", "SIGTERM leader", "SIGTERM group", "SIGKILL group"]],
];

t.test("a server's process is signalled alone before its group is", async (t) => {
  for (const [endsBy, politely, how, sent] of orders) {
    const subject = processThat(endsBy);
    const graceMs = politely === "eof" ? 60_000 : 0;
    const report = await followProcess(subject.process, true).end(graceMs, politely);
    t.equal(report.how, how, endsBy);
    t.same(subject.sent, sent, endsBy);
  }
});

t.test("a server that is of no interest any more is waited for no longer, also where the wait had begun", async (t) => {
  for (const [endsBy, , how, sent] of orders) {
    for (const begun of [false, true]) {
      const subject = processThat(endsBy);
      const leaving = new AbortController();
      if (!begun) leaving.abort();
      const hurry = { signal: leaving.signal, graceMs: 1 };
      const ending = followProcess(subject.process, true).end(60_000, "eof", hurry);
      leaving.abort();
      t.equal((await ending).how, how, endsBy);
      t.same(subject.sent, sent, endsBy);
    }
  }
});

t.test("others of a group are looked for where SIGTERM ended one process alone", (t) => {
  t.same(groupLeft({ how: "sigterm" }, 7), { group: 7 });
  for (const how of ["stdin-eof", "sigkill", "already-gone"] as const) t.same(groupLeft({ how }, 7), {});
  t.same(groupLeft({ how: "sigterm" }, undefined), {});
  t.end();
});
