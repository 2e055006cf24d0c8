/** The slots of the machine that runs a project's own tests, in a place that the caller opens. */
import { join } from "node:path";
import type { AnyEventObject, PromiseActorLogic } from "xstate";
import { hardLimitMs } from "../../../machines/hard_limit_ms.ts";
import type {
  CaptureTestsInput,
  FrameworkChoice,
  PlannedTests,
  PlanTestsInput,
  ProjectTestAnswer,
  ProjectTestFact,
  ProjectTestRun,
  ProjectTestWork,
  ReportTestsInput,
  StuckRun,
  TestCommandEnd,
  TestCommandInput,
} from "../../../machines/model/project_test_run.ts";
import { errorMessage, PthError } from "../../core/errors.ts";
import { definedOnly } from "../../core/values.ts";
import { answerOfRun, detailsOf } from "../../project_tests/answer_of_run.ts";
import { anyCommand, chooseFramework, frameworkNamed } from "../../project_tests/choose_framework.ts";
import { type LiveTests, openLiveTests, projectOf, watchedCommand } from "../../project_tests/live_tests.ts";
import { writeDetails } from "../../project_tests/own_test_folder.ts";
import { commandLine, requireStarted, runTestCommand } from "../../project_tests/run_test_command.ts";
import { exitText, TestLog } from "../../project_tests/test_log.ts";
import { captureStacks } from "../../stuck/stacks/capture_stacks.ts";
import type { SamplerAccess } from "../../stuck/sampler_access.ts";
import type { WatchedCommand } from "../../stuck/stacks/stack_way.ts";
import { planTrace, storeTrace, traceHint } from "../../test_traces/plan_trace.ts";
import type { ProjectPlace } from "../../project_tests/project_place.ts";

/** Makes the actor of a slot of a function. */
export type MakeTestActor = <Output, Input>(
  work: (input: Input, signal: AbortSignal, tell: (event: AnyEventObject) => void) => Promise<Output>,
) => PromiseActorLogic<Output, Input>;

export interface ProjectTestParts {
  actor: MakeTestActor;
  /** @throws {PthError} `TARGET_NOT_FOUND` where there is no such folder; what bringing it there fails with */
  openPlace(run: ProjectTestRun, signal: AbortSignal): Promise<ProjectPlace>;
  publish(fact: ProjectTestFact): void;
  /** Way to the processes of the place. */
  access(): SamplerAccess;
  /** Filled with the commands that run tests, by their processes, for the detector of the place. */
  watched?: Map<number, WatchedCommand>;
  /** Tells a step that takes its time. */
  step<T>(phase: string, message: string, work: () => Promise<T>): Promise<T>;
}

/** Shortest time in ms between two notes that something was printed. */
const outputEvery = 100;
/** Characters of what a preparation said that are read. */
const preparationBytes = 16 * 1024 * 1024;

export function projectTestActors({ actor, openPlace, publish, step, access, watched }: ProjectTestParts) {
  const runs = new Map<string, LiveTests>();
  const liveOf = ({ requestId }: ProjectTestWork): LiveTests => runs.get(requestId)!;
  return {
    open: actor<void, ProjectTestWork>(async ({ requestId, run }, signal) => {
      runs.set(requestId, openLiveTests(await openPlace(run, signal), publish));
    }),

    detect: actor<FrameworkChoice, ProjectTestWork>(async ({ requestId, run }) => {
      const live = liveOf({ requestId, run });
      live.found = await chooseFramework(projectOf(live.place, run));
      const [chosen] = live.found;
      if (chosen !== undefined) {
        live.publish({ type: "project_tests.chosen", framework: chosen.framework, reason: chosen.reason });
      }
      return { found: live.found };
    }),

    plan: actor<PlannedTests, PlanTestsInput>(async (input, signal) => {
      const live = liveOf(input);
      const { place } = live;
      const framework = await frameworkNamed(input.framework);
      const project = projectOf(place, input.run);
      for (const program of framework.needs(project)) {
        await requireProgram(place, program, framework.name, signal);
      }
      live.scratch ??= await place.makeScratch();
      const plan = live.plans.length;
      const scratch = join(live.scratch, `plan-${plan}`);
      const events = join(scratch, "events.jsonl");
      await place.write(events, "");
      const { files, preparation, runs } = await framework.plan(project, { scratch, events });
      for (const [name, text] of Object.entries(files)) await place.write(join(scratch, name), text);
      const trace = plan === 0
        ? planTrace(framework.language, input.run, { scratch, root: place.root })
        : undefined;
      if (trace !== undefined) {
        for (const program of trace.tracer.needs) {
          await requireProgram(place, program, trace.tracer.name, signal);
        }
        for (const [path, text] of Object.entries(trace.files)) await place.write(path, text);
        const { output, tracer: { name: tracer, cost } } = trace;
        live.trace = { output, tracer, cost };
      }
      const log = plan === 0 ? live.log : new TestLog();
      live.plans.push({ framework, project, events, offset: 0, log });
      const { runnerThreads: runner } = framework;
      return {
        plan,
        preparation,
        runs: trace === undefined ? runs : runs.map(trace.traced),
        ...definedOnly({ runner }),
      };
    }),

    prepare: actor<boolean, TestCommandInput>((input, signal) =>
      step("prepare", commandLine(input.command).slice(0, 120), () => prepare(liveOf(input), input, signal))
    ),

    runTests: actor<TestCommandEnd, TestCommandInput>(async (input, signal, tell) => {
      const live = liveOf(input);
      live.deadlineAt ??= Date.now() + hardLimitMs(input.run);
      const { deadlineAt } = live;
      let heard = 0;
      const plan = live.plans[input.plan]!;
      const { command, suspect } = input;
      // What ends all of the last command would end this one, too.
      await live.ending;
      let done = live.log.tests().length;
      let started: number | undefined;
      const exit = await runTestCommand(live, plan, command, {
        env: input.run.env ?? {},
        signal,
        onStart(pid) {
          started = pid;
          watched?.set(pid, watchedCommand(live, live.current!));
          tell({ type: "run.started", pid, deadlineAt });
        },
        onOutput() {
          const now = performance.now();
          if (now - heard < outputEvery) return;
          heard = now;
          tell({ type: "run.output" });
        },
        onEvent(event) {
          const test = plan.log.take(event);
          if (test === undefined || suspect !== undefined) return;
          const { name, status, durationMs, suite } = test;
          live.publish({
            type: "project_test.finished",
            test: {
              name,
              status,
              ...(suite === undefined ? {} : { suite }),
              ...(durationMs === undefined ? {} : { durationMs }),
            },
            done: ++done,
            ...(plan.log.planned >= plan.log.ended && plan.log.planned > 0
              ? { total: plan.log.planned }
              : {}),
          });
        },
      }).finally(() => watched?.delete(started!));
      const stderr = live.raw.stderr.text();
      // A command of which nothing is known counts as one test.
      if (plan.log.ended <= 1 && plan.log.tests().every(({ status }) => status === "failed")) {
        await requireStarted(live, plan, command, exit, stderr);
      }
      const unfinished = plan.log.endCommand(exit, { stderr });
      if (suspect !== undefined) live.log.settle(suspect, plan.log);
      return { unfinished: exit.isEnded ? [] : unfinished };
    }),

    capture: actor<Omit<StuckRun, "reason">, CaptureTestsInput>(async (input, signal) => {
      const live = liveOf(input);
      const { current } = live;
      if (current === undefined) return { running: [], elapsedMs: 0 };
      const running = current.log.running();
      const elapsedMs = Math.round(
        Math.max(0, ...running.map(({ sinceMs }) => sinceMs)) || performance.now() - current.began,
      );
      const seen = { running: running.map(({ test }) => test), elapsedMs };
      if (input.hasStacks) return seen;
      const command = watchedCommand(live, current);
      try {
        const stacks = await captureStacks(access(), current.pid, { mayEnd: true, signal, command });
        return { ...seen, stacks };
      } catch (error) {
        // Where threads cannot be looked at, the limit itself is what is known.
        return { ...seen, stacks: { threads: [], method: "none", notes: [errorMessage(error)] } };
      }
    }),

    endCommand: actor<void, ProjectTestWork>(async (input) => {
      const live = liveOf(input);
      const { current, place } = live;
      if (current !== undefined) current.isEnded = true;
      current?.held?.release();
      await (live.ending = place.endAll());
    }),

    report: actor<ProjectTestAnswer, ReportTestsInput>(async (input) => {
      const live = liveOf(input);
      const [chosen] = input.choice.found;
      const ended = {
        live,
        framework: await frameworkNamed(chosen?.framework ?? anyCommand),
        // What a framework noted of the project when it planned is needed for reruns.
        project: live.plans[0]?.project ?? projectOf(live.place, input.run),
        stuck: input.stuck,
        ...definedOnly({ unwatched: input.unwatched }),
      };
      const answer = await answerOfRun(ended);
      const { redact } = live.place;
      if (live.commands.length === 0) return redact.value(answer);
      const trace = live.trace === undefined ? undefined : await storeTrace(live.place, live.trace.output);
      const { tracer, cost } = live.trace ?? {};
      const told = trace === undefined ? {} : { trace: { ...trace, tracer, cost } };
      const details = await writeDetails(redact.value({ ...detailsOf(ended, answer), ...told }));
      if (trace === undefined) return redact.value({ ...answer, details });
      const hint = [answer.hint, traceHint(trace)].filter(Boolean).join(" ");
      return redact.value({ ...answer, hint, sessionId: trace.sessionId, details });
    }),

    clear: actor<void, ProjectTestWork>(async (input) => {
      const live = runs.get(input.requestId);
      if (live === undefined) return;
      await live.place.close();
      runs.delete(input.requestId);
    }),
  };
}

async function prepare(
  { place, plans, log, commands, raw }: LiveTests,
  { plan, command, run }: TestCommandInput,
  signal: AbortSignal,
): Promise<boolean> {
  const { framework, project } = plans[plan]!;
  const result = await place.exec(command.argv, {
    env: { ...run.env, ...command.env },
    ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
    signal,
    maxBytes: preparationBytes,
  });
  const { code, stdout, stderr, durationMs } = result;
  const exit = exitText({ code, signal: code === null ? "of its end" : null });
  commands.push({ kind: "preparation", ...command, exit, durationMs: Math.round(durationMs) });
  if (code === 0) return true;
  raw.stdout.push(stdout);
  raw.stderr.push(stderr);
  const before = log.problems.length;
  for (const event of framework.readPreparation?.({ code, stdout, stderr }, project) ?? []) log.take(event);
  if (log.problems.length === before) {
    const tail = (stderr.trim() || stdout.trim()).split("\n").slice(-20).join("\n");
    log.take({ type: "not_run", message: `${commandLine(command)} ended with ${exit}\n${tail}` });
  }
  return false;
}

/** @throws {PthError} `TOOLCHAIN_MISSING` */
async function requireProgram(
  place: ProjectPlace,
  program: string,
  framework: string,
  signal: AbortSignal,
): Promise<void> {
  const { code } = await place.exec(["sh", "-c", 'command -v -- "$1"', "sh", program], { signal });
  if (code === 0) return;
  throw new PthError(
    "TOOLCHAIN_MISSING",
    `Cannot run the tests: ${framework} needs ${program}, which is not there (${place.kind})`,
    {
      next: [
        place.install(program),
        "Or name another framework, or the command that runs the tests",
      ],
    },
  );
}
