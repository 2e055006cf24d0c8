import { PassThrough } from "node:stream";
import t from "tap";
import type { ProjectPlace } from "../../../src/project_tests/project_place.ts";
import { openLiveTests, projectOf, watchedCommand } from "../../../src/project_tests/live_tests.ts";
import { runTestCommand } from "../../../src/project_tests/run_test_command.ts";
import { until } from "../visualizer/live/scripted_session.ts";
import { TestLog } from "../../../src/project_tests/test_log.ts";
import generic from "../../../src/project_tests/frameworks/generic.ts";

/** Time for what must not happen. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 10));

/** A command whose end and output the test makes. */
function open() {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let exit = (_code: number) => {};
  const exited = new Promise<{ code: number; signal: null }>((resolve) => {
    exit = (code) => resolve({ code, signal: null });
  });
  const place = {
    root: "/project",
    follow: () => Promise.resolve({ finish: () => Promise.resolve() }),
    start: () => Promise.resolve({ pid: 7, stdout, stderr, exited }),
  } as unknown as ProjectPlace;
  const live = openLiveTests(place, () => {});
  const project = projectOf(place, {});
  const plan = { framework: generic, project, events: "/events", offset: 0, log: new TestLog() };
  const stop = new AbortController();
  const events: string[] = [];
  const run = runTestCommand(live, plan, { argv: ["x"] }, {
    env: {},
    signal: stop.signal,
    onStart() {},
    onOutput() {},
    onEvent: (event) => events.push(event.type),
  });
  let over = false;
  run.then(() => over = true, () => over = true);
  return { live, run, stop, events, stdout, exit, isOver: () => over };
}

t.test("a command that ends by its last stacks is over once it is ended, and what it says then tells no tests", async (t) => {
  const { live, run, events, stdout, exit, isOver } = open();
  stdout.write("PASS one\n");
  await until(() => live.current !== undefined && events.length > 0);
  const told = events.length;
  const { printed, endsNow } = watchedCommand(live, live.current!);
  endsNow();
  stdout.write("FAIL two\ngoroutine 1\n");
  await until(() => printed().includes("goroutine 1"));
  exit(2);
  await settle();
  t.equal(isOver(), false);
  t.match(printed(), /PASS one\nFAIL two\ngoroutine 1/);
  t.equal(events.length, told);
  live.current!.held!.release();
  t.match(await run, { code: 2, isEnded: true });
});

t.test("a command that is held is over when the run is cancelled", async (t) => {
  const { live, run, stop, exit } = open();
  await until(() => live.current !== undefined);
  watchedCommand(live, live.current!).endsNow();
  exit(2);
  await settle();
  stop.abort(new Error("cancelled"));
  await t.rejects(run, { message: "cancelled" });
});
