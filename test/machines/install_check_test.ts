/** The steps of an install check, answered in the session's place; its slots answer at once. */
import t from "tap";
import { fromPromise, type PromiseActorLogic, SimulatedClock } from "xstate";
import { installCheckMachine } from "../../machines/install_check_machine.ts";
import type { InstallWork } from "../../machines/install_check_machine.ts";
import type {
  ComparedPackage,
  InstalledPackage,
  InstallFault,
  InstallSurvey,
  PackedPackage,
} from "../../machines/model/install_check.ts";
import { RequestRefused } from "../../machines/session/session_model.ts";
import { answeredTask } from "./task_session.ts";

const fault = { code: "not-packed" as const, place: "p", message: "m", next: "n" };
const check = { kind: "npm", source: true, suite: false, timeoutMs: 1000 };
const loaded = { result: { tools: [{ name: "echo" }] } };

interface Answers {
  survey?: Partial<InstallSurvey>;
  packed?: Partial<PackedPackage>;
  installed?: Partial<InstalledPackage>;
  compare?: () => Promise<never>;
}

const answer = <Output, Input = InstallWork>(output: Output): PromiseActorLogic<Output, Input> =>
  fromPromise<Output, Input>(() => Promise.resolve(output));

function machineOf({ survey, packed, installed, compare }: Answers, seen: InstallWork[] = []) {
  return installCheckMachine.provide({
    actors: {
      survey: answer<InstallSurvey, Pick<InstallWork, "requestId" | "check">>({
        name: "pkg",
        version: "1",
        servers: [{ name: "" }],
        ...survey,
      }),
      pack: answer<PackedPackage>({ path: "/p.tgz", notes: ["packed"], ...packed }),
      install: answer<InstalledPackage>({
        root: "/r",
        servers: [{ name: "", command: ["start"] }],
        programs: [],
        notes: [],
        ...installed,
      }),
      tryPrograms: answer<InstallFault[]>([]),
      compare: fromPromise<ComparedPackage, InstallWork>(({ input }) => {
        seen.push(input);
        const parts = { tools: [], skills: [], commands: [], agents: [], hooks: [], programs: [] };
        return compare?.() ??
          Promise.resolve({ source: parts, installed: parts, faults: [fault], notes: [] });
      }),
    },
  });
}

t.test("a check loads the source, then the package in its place, and answers with both", async (t) => {
  const seen: InstallWork[] = [];
  const task = answeredTask(machineOf({}, seen), { check }, () => loaded);
  t.match(await task.ended, {
    type: "task.completed",
    result: { kind: "npm", name: "pkg", version: "1", faults: [fault], notes: ["packed"] },
  });
  t.match(task.requests, [
    { type: "session.load_plugin", load: { command: undefined } },
    { type: "session.load_plugin", load: { command: ["start"], install: "", build: "" } },
  ]);
  t.strictSame(seen[0]?.starts, {
    source: [{ name: "", tools: ["echo"] }],
    installed: [{ name: "", tools: ["echo"] }],
  });
});

t.test("a server that does not start is noted with its output, and the check goes on", async (t) => {
  const seen: InstallWork[] = [];
  const error = Object.assign(new Error("it exited"), { context: { output: "Cannot find module" } });
  const task = answeredTask(
    machineOf({}, seen),
    { check },
    ({ load }) => (load as { command?: string[] }).command === undefined ? loaded : { error },
  );
  t.match(await task.ended, { type: "task.completed" });
  t.strictSame(seen[0]?.starts.installed, [
    { name: "", error: { message: "it exited", output: "Cannot find module" } },
  ]);
});

t.test("a session that takes no load is no fault of the package", async (t) => {
  const error = new RequestRefused("session.load_plugin", {}, false);
  const task = answeredTask(machineOf({}), { check }, () => ({ error }));
  t.match(await task.ended, { type: "task.failed", error });
});

t.test("what cannot be packed or installed is answered as it is, and nothing is started from it", async (t) => {
  for (const answers of [{ packed: { fault } }, { installed: { fault, root: "" } }]) {
    const task = answeredTask(machineOf(answers), { check }, () => loaded);
    t.match(await task.ended, { type: "task.completed", result: { faults: [fault], installed: undefined } });
    t.equal(task.asked.length, 1);
  }
});

t.test("files of what cannot be installed are compared all the same", async (t) => {
  const refused = { ...fault, code: "not-installed" as const };
  const task = answeredTask(
    machineOf({ installed: { fault: refused, servers: [] } }),
    { check },
    () => loaded,
  );
  t.match(await task.ended, { type: "task.completed", result: { faults: [refused, fault] } });
  t.equal(task.asked.length, 1, "nothing is started from it");
  const same = answeredTask(machineOf({ installed: { fault, servers: [] } }), { check }, () => loaded);
  t.equal(
    ((await same.ended) as unknown as { result: { faults: unknown[] } }).result.faults.length,
    1,
    "one fault is told once",
  );
});

t.test("an archive has no source to load, and tests run on the server of the package alone", async (t) => {
  const archive = machineOf({ survey: { archive: "/a.tgz", servers: [] } });
  const summary = { passed: 1, failed: 0, total: 1 };
  const task = answeredTask(
    archive,
    { check: { ...check, suite: true } },
    ({ type }) =>
      type === "session.run_tests"
        ? { result: { summary, results: [{ name: "a", status: "failed" }, { name: "b", status: "passed" }] } }
        : loaded,
  );
  t.match(await task.ended, { type: "task.completed", result: { suite: summary, failedTests: ["a"] } });
  t.strictSame(task.asked, ["session.load_plugin", "session.run_tests"]);
  const silent = answeredTask(
    archive,
    { check: { ...check, suite: true } },
    () => ({ error: new Error("no") }),
  );
  t.match(await silent.ended, { type: "task.completed", result: { suite: undefined } });
});

t.test("a cancel gives up a slot at once, and waits for the answer of a load", async (t) => {
  const loading = answeredTask(machineOf({}), { check }, () => undefined);
  while (loading.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  loading.cancel();
  t.match(await loading.ended, { type: "task.failed", error: { name: "AbortError" } });
  t.equal(loading.cancelled(), 1);
  const comparing = answeredTask(
    machineOf({ compare: () => new Promise(() => {}) }),
    { check },
    () => loaded,
  );
  while (comparing.asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  await new Promise((resolve) => setTimeout(resolve, 5));
  comparing.cancel();
  t.match(await comparing.ended, { type: "task.failed", error: { name: "AbortError" } });
});

t.test("a check that takes too long fails with its limit", async (t) => {
  const clock = new SimulatedClock();
  const task = answeredTask(machineOf({}), { check }, () => undefined, clock);
  while (task.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  clock.increment(1000);
  t.match(await task.ended, { type: "task.failed", error: { message: /it took more than 1 s/ } });
  t.equal(task.cancelled(), 1);
});
