import t from "tap";
import { createIncidentLog, type IncidentLog } from "../../../src/client/incidents.ts";

/** A log, and short words for what goes to and fro. */
function wire(inOrder = true) {
  const log = createIncidentLog({ inOrder });
  const received = (message: object) => log.watch({ jsonrpc: "2.0", ...message }, "received");
  return {
    log,
    call: (id: number, name: string, token = true) => {
      const params = { name, ...(token ? { _meta: { progressToken: id } } : {}) };
      log.watch({ jsonrpc: "2.0", id, method: "tools/call", params }, "sent");
    },
    cancel: (requestId: number) =>
      log.watch({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } }, "sent"),
    answer: (id: unknown) => received({ id, result: {} }),
    progress: (progressToken: unknown, progress: unknown) =>
      received({ method: "notifications/progress", params: { progressToken, progress } }),
  };
}

const told = (log: IncidentLog) => log.incidents().map(({ code, detail }) => `${code}: ${detail}`);

t.test("output is told with the moment at which it came", (t) => {
  const { log, call, answer } = wire();
  const noise = (line: string) => log.add("stdout-noise", line);
  noise("banner");
  call(1, "first");
  noise("within");
  answer(1);
  noise("behind");
  call(2, "a");
  call(3, "b");
  noise("either");
  answer(3);
  noise("a still runs");
  log.shutdown();
  noise("farewell");
  t.strictSame(log.incidents().filter(({ firstCall }) => firstCall).map(({ detail }) => detail), [
    "within",
    "behind",
  ], "which may be of the start");
  t.strictSame(log.incidents().map(({ detail, moment }) => [detail, ...Object.values(moment)]), [
    ["banner", "start"],
    ["within", "call", "first"],
    ["behind", "after", "first"],
    ["either", "calls"],
    ["a still runs", "call", "a"],
    ["farewell", "shutdown"],
  ]);
  t.end();
});
t.test("progress that follows its rules is no incident, nor is that of a cancelled call", (t) => {
  const { log, call, cancel, answer, progress } = wire();
  call(1, "slow");
  progress(1, 0);
  progress("1", 0.5);
  progress(1, 3);
  answer(1);
  call(2, "slow");
  cancel(2);
  progress(2, 1);
  t.strictSame(told(log), []);
  t.end();
});
t.test("progress for another token, that does not increase or comes too late is told with its tool", (t) => {
  const { log, call, answer, progress } = wire();
  call(1, "slow");
  progress("other", 1);
  progress(1, 2);
  progress(1, 2);
  progress(1, "3");
  answer(1);
  call(2, "next", false);
  progress(1, 4);
  progress(2, 1);
  t.strictSame(told(log), [
    'progress-misused: progress came for a token that was never given: "other"',
    "progress-misused: progress did not increase: 2 after 2",
    'progress-misused: progress is no number: "3"',
    "progress-misused: progress came after the answer",
    "progress-misused: progress came for a token that was never given: 2",
  ]);
  t.match(log.incidents().map(({ moment }) => moment), [
    { tool: "slow" },
    { tool: "slow" },
    { tool: "slow" },
    { tool: "slow" },
    { tool: "next" },
  ]);
  t.end();
});
t.test("where several streams carry messages, late progress tells nothing", (t) => {
  const { log, call, answer, progress } = wire(false);
  call(1, "slow");
  answer(1);
  progress(1, 1);
  t.strictSame(told(log), []);
  t.end();
});
t.test("a second answer to a request is told, a late one to a cancelled request is not", (t) => {
  const { log, call, cancel, answer } = wire();
  call(1, "twice");
  answer(1);
  answer("1");
  call(2, "late");
  cancel(2);
  answer(2);
  answer(77);
  t.strictSame(told(log), ["answered-twice: a second answer to request 1 came"]);
  t.match(log.incidents(), [{ moment: { phase: "after", tool: "twice" } }]);
  t.end();
});
t.test("noise of the start leaves room for that of a call", (t) => {
  const { log, call } = wire();
  for (let line = 0; line < 200; line++) log.add("stdout-noise", "banner");
  call(1, "print");
  log.add("stdout-noise", "printed");
  t.equal(log.incidents().length, 101);
  t.match(log.incidents().at(-1), { moment: { phase: "call", tool: "print" }, detail: "printed" });
  t.end();
});
t.test("incidents without end are bounded, each code by itself", (t) => {
  const { log, call, answer } = wire();
  for (let line = 0; line < 1000; line++) log.add("stdout-noise", "x");
  for (let id = 1; id < 2000; id++) {
    call(id, "x");
    answer(id);
  }
  answer(1999);
  t.equal(log.incidents().length, 101);
  t.match(log.incidents().at(-1), { code: "answered-twice" });
  t.end();
});
