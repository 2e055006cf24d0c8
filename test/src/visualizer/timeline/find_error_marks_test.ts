import { appendFile } from "node:fs/promises";
import t from "tap";
import { pairAnswers } from "../../../../src/visualizer/timeline/answers.ts";
import { openGrowingRecording } from "../../../../src/visualizer/timeline/growing_recording.ts";
import { findErrorMarks } from "../../../../src/visualizer/timeline/find_error_marks.ts";
import { fromLines } from "./recorded.ts";
import { actor, event, snapshot, text, written } from "./written_recording.ts";

const people = [
  actor(0, "x:0", "session", { machine: "session" }),
  actor(0, "x:1", "plugin", { machine: "plugin", parent: "x:0" }),
  actor(0, "x:2", "0.plugin.building", { slot: "build", parent: "x:1" }),
  actor(0, "x:3", "suite", { machine: "suite", parent: "x:0" }),
  actor(0, "x:4", "test-0", { machine: "test", parent: "x:3" }),
];
const finished = (status: string, message?: string) => ({ testId: "adds", verdict: { status, message } });

async function troubleIn(lines: readonly unknown[]) {
  const { index, answers } = await fromLines([...people, ...lines]);
  return (await findErrorMarks(index, answers)()).map(({ actor, text }) => `${actor.id}: ${text}`);
}

t.test("a failure that travels up through many actors is one trouble, where it began", async (t) => {
  const error = { error: "Cannot build: exited with 2", code: "BUILD_FAILED" };
  const trouble = await troubleIn([
    event(10, "x:1", "xstate.error.actor.0.plugin.building", { error }, "x:2"),
    event(11, "x:0", "plugin.failed", { error }, "x:1"),
    event(12, "x:0", "request.failed", { error }, "x:1"),
    event(9000, "x:1", "xstate.error.actor.0.plugin.building", { error }, "x:2"),
  ]);
  t.same(trouble, [
    "plugin: build failed: Cannot build: exited with 2",
    "plugin: build failed: Cannot build: exited with 2",
  ], "the same again, later, is another");
});

t.test("a failed test is told once, by its first line; tests that pass are none", async (t) => {
  const trouble = await troubleIn([
    event(10, "x:3", "test.finished", finished("failed", "3 is not 4\nexpected: 4"), "x:4"),
    event(11, "x:0", "test.finished", finished("failed", "3 is not 4\nexpected: 4"), "x:3"),
    event(12, "x:3", "test.finished", finished("passed"), "x:4"),
  ]);
  t.same(trouble, ["test-0: test adds failed: 3 is not 4"]);
});

t.test("a verdict is found in an event that was cut", async (t) => {
  const whole = JSON.stringify({
    type: "test.finished",
    ...finished("failed", "no"),
    observation: "x".repeat(99),
  });
  const trouble = await troubleIn([
    event(10, "x:3", "test.finished", { abridged: whole.slice(0, 90) }, "x:4"),
  ]);
  t.same(trouble, ["test-0: test adds failed: no"]);
});

t.test("what somebody cancelled is no trouble", async (t) => {
  const error = { error: "Cannot finish provisioning: it was cancelled" };
  t.same(await troubleIn([event(10, "x:0", "environment.provision_failed", { error }, "x:1")]), []);
});

t.test("a request that nothing was done on is told with the guard that refused; a command without an id is not", async (t) => {
  const value = { open: { environment: "absent", dependencies: "absent", plugin: "absent", suite: "idle" } };
  const trouble = await troubleIn([
    snapshot(1, "x:0", value),
    event(10, "x:0", "session.load", { requestId: "r1" }),
    snapshot(11, "x:0", value),
    event(12, "x:0", "session.reload", { requestId: "r2" }),
    snapshot(13, "x:0", value),
    event(14, "x:0", "session.cancel_suite"),
    snapshot(15, "x:0", value),
    event(16, "x:0", "session.provision", { requestId: "r3" }),
    snapshot(17, "x:0", value, { taken: ["session.open.environment.absent|session.provision|0"] }),
  ]);
  t.same(trouble, [
    'session: session.load had no effect: "isPermitted and environmentReady and dependenciesUp" refused',
    "session: session.reload had no effect: no state that session was in takes it",
  ]);
});

t.test("what comes later is found when it is asked for again, in its place, and nothing twice", async (t) => {
  const path = await written([
    ...people,
    snapshot(1, "x:1", "ready"),
    event(9, "x:1", "plugin.fly", { requestId: "r1" }),
    event(
      10,
      "x:0",
      "connection.lost",
      { loss: { reason: "killed", exitCode: null, signal: "SIGKILL" } },
      "x:4",
    ),
  ]);
  let end!: () => void;
  const recording = await openGrowingRecording(path);
  t.teardown(() => recording.close());
  await recording.readAll();
  const find = findErrorMarks(recording.index, pairAnswers(recording.index));
  const both = await Promise.all([find(), find()]);
  for (const found of both) t.match(found, [{ position: 8, text: "connection.lost: ended by SIGKILL" }]);
  recording.follow(new Promise<void>((resolve) => end = resolve));
  const grown = new Promise<void>((resolve) => recording.onGrowth(resolve));
  await appendFile(path, text([snapshot(12, "x:1", "ready")]));
  await grown;
  t.match(
    await find(),
    [{ actor: { id: "plugin" }, text: /^plugin\.fly had no effect/ }, { position: 8 }],
    "oldest first",
  );
  end();
});
