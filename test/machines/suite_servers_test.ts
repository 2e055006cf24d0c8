import t from "tap";
import { planned, stage } from "./suite_stage.ts";

const rules = { startMs: 300 };
const many = (count: number) => Array.from({ length: count }, (_, at) => planned(`t${at}`));
/** Samples of the pace that end when they are told to. */
function samples() {
  let end: ((sample: { elapsedMs: number; ownMs: number }) => void) | undefined;
  return {
    measurePace: () => new Promise<{ elapsedMs: number; ownMs: number }>((resolve) => end = resolve),
    look: (elapsedMs: number, ownMs: number) => end!({ elapsedMs, ownMs }),
  };
}
const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
};

t.test("tests that are done before another server is there run on one", async (t) => {
  const { verdicts, log, finished } = stage(() => "hi", {
    tests: many(20),
    workers: 4,
    rules,
    measurePace: samples().measurePace,
  });
  await finished;
  t.same([log.opened, log.most], [["connection-1"], 1]);
  t.equal(Object.keys(verdicts).length, 20);
});

t.test("a test that does not answer keeps others from a server no longer than a start takes", async (t) => {
  const { measurePace, look } = samples();
  const tests = [{ ...planned("hangs"), timeoutMs: 60_000 }, ...many(20)];
  const { verdicts, log, clock, finished } = stage(
    ({ input }) => input["text"] === "hangs" ? "silence" : "hi",
    {
      tests,
      workers: 2,
      rules,
      measurePace,
    },
  );
  await until(() => log.calls.length === 1);
  look(200, 1);
  await new Promise((resolve) => setTimeout(resolve, 5));
  t.same(log.opened, ["connection-1"]);
  look(200, 1);
  await until(() => Object.keys(verdicts).length === 20);
  t.same(log.opened, ["connection-1", "connection-2"]);
  t.notOk(verdicts["hangs"]);
  clock.increment(60_000);
  await finished;
  t.match(verdicts["hangs"], { status: "failed", message: "timeout 60000" });
});

t.test("where the pace cannot be measured tests run on as many servers as may be", async (t) => {
  const { log, finished } = stage(() => "hi", {
    tests: many(20),
    workers: 3,
    rules,
    measurePace: () => Promise.reject(new Error("no clock")),
  });
  await finished;
  t.same([log.opened.length, log.most], [3, 3]);
});

t.test("where each test has its own server, those of the next ones are started ahead, as many as may be", async (t) => {
  const tests = [{ ...planned("first"), timeoutMs: 60_000 }, ...many(9)];
  const { verdicts, log, clock, finished } = stage(
    ({ input }) => input["text"] === "first" ? "silence" : "hi",
    {
      tests,
      rules: { ...rules, isolation: "per_test", opensAhead: 3 },
    },
  );
  await until(() => log.calls.length === 1);
  await new Promise((resolve) => setTimeout(resolve, 5));
  t.equal(log.opened.length, 4, "its own, and three");
  clock.increment(60_000);
  await finished;
  t.equal(Object.keys(verdicts).length, 10);
  t.equal(log.opened.length, 11, "one for each test, and the one that is kept");
});
