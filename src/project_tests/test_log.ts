/** All that a framework said of a run, in bounded room: tests with their ends and outputs, and what went wrong beside them. */
import type {
  ProjectTest,
  ProjectTestEvent,
  ProjectTestOutcome,
  TestLocation,
  TestName,
} from "../../machines/model/project_test.ts";
import { definedOnly } from "../core/values.ts";
import { type BoundedOutput, boundedOutput } from "./bounded_output.ts";

/** Tests beyond these are counted alone. */
const mostTests = 100_000;
/** Characters of one test's output that are kept of its beginning, and as many of its end. */
const outputHalf = 64 * 1024;
/** Characters of all outputs; those of tests that passed go first. */
const mostOutput = 64 * 1024 * 1024;
const longestName = 2000;
const longestMessage = 16 * 1024;
const mostFrames = 100;
const mostProblems = 200;

/** A failure that belongs to no test. */
export interface RunProblem {
  place?: TestLocation;
  message: string;
  /** Reported by the framework before any test; otherwise found by how the run ended. */
  isBeforeTests: boolean;
}

interface LoggedTest extends TestName {
  startedAt?: number;
  outcome?: ProjectTestOutcome;
  /** Signal or exit code that ended its process while it ran. */
  crash?: string;
  output?: BoundedOutput;
}

/** The end of one command that ran tests. */
export interface CommandExit {
  code: number | null;
  signal: string | null;
  /** PTH ended it. */
  isEnded: boolean;
}

export class TestLog {
  readonly problems: RunProblem[] = [];
  /** Tests that were left out because there were too many, by how they ended. */
  readonly uncounted = { passed: 0, failed: 0, skipped: 0 };
  #tests: LoggedTest[] = [];
  /** Tests that have begun and not ended, by their key. */
  #running = new Map<string, LoggedTest>();
  #latest = new Map<string, LoggedTest>();
  #kept = 0;
  #isOutputFull = false;
  /** Facts of the command that runs. */
  #command = newCommand();
  readonly #now: () => number;

  /** @param now Time in ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The test that ended by it, where one did. */
  take(event: ProjectTestEvent): ProjectTest | undefined {
    switch (event.type) {
      case "planned":
        this.#command.planned += event.tests ?? 0;
        return undefined;
      case "started":
        this.#begin(event.test);
        return undefined;
      case "output":
        if (event.test !== undefined) this.#output(event.test, event.text);
        return undefined;
      case "finished":
        return this.#finish(event.test, event.outcome);
      case "suite_ended":
        if (!event.complete) {
          const { suite, reason = "it did not say that it is complete" } = event;
          this.#command.broken.push(suite === undefined ? reason : `${suite}: ${reason}`);
        }
        return undefined;
      case "not_run":
        this.#command.failed++;
        this.#note({ message: event.message, isBeforeTests: true, ...definedOnly({ place: event.place }) });
        return undefined;
      case "unreadable":
        this.#command.unreadable++;
        return undefined;
    }
  }

  /** Tests that run now. */
  running(): { test: TestName; sinceMs: number }[] {
    return [...this.#running.values()].map((test) => ({
      test: nameOf(test),
      sinceMs: this.#now() - (test.startedAt ?? this.#now()),
    }));
  }

  get planned(): number {
    return this.#command.planned;
  }

  get ended(): number {
    return this.#command.ended;
  }

  /**
   * The command has ended. What does not fit together is a problem: tests that are missing, an exit code without a failure.
   * @returns tests that had begun and did not end
   */
  endCommand(exit: CommandExit, about: { stderr: string }): TestName[] {
    const { planned, ended, failed, broken } = this.#command;
    const unfinished = [...this.#running.values()];
    this.#running.clear();
    this.#command = newCommand();
    const how = exitText(exit);
    // What PTH ended is told as stuck.
    if (exit.isEnded) return unfinished.map(nameOf);
    const [only] = unfinished;
    if (only !== undefined) {
      for (const test of unfinished) test.crash = how;
    } else if (broken.length > 0) {
      this.#note({
        isBeforeTests: false,
        message: withTail(`The run ended before all tests had (${how}): ${broken.join("; ")}`, about.stderr),
      });
    } else if (ended < planned) {
      this.#note({
        isBeforeTests: false,
        message: withTail(
          `${planned - ended} of ${planned} tests did not run: the process ended before (${how})`,
          about.stderr,
        ),
      });
    } else if ((exit.code !== 0 || exit.signal !== null) && failed === 0) {
      const when = ended === 0 ? "before any test" : "though no test failed";
      this.#note({
        isBeforeTests: false,
        message: withTail(`The run failed ${when}: ${how}`, about.stderr),
      });
    }
    return unfinished.map(nameOf);
  }

  /** Takes over what a test came to that ran alone after a crash. */
  settle(suspect: TestName, alone: TestLog): void {
    const test = this.#latest.get(keyOf(suspect));
    const again = alone.#latest.get(keyOf(suspect)) ??
      [...alone.#latest.values()].find(({ name }) => name === suspect.name);
    if (test === undefined || again === undefined) return;
    if (again.crash !== undefined) test.crash = `${again.crash}, also alone`;
    else if (again.outcome?.status === "failed") {
      test.outcome = again.outcome;
      delete test.crash;
    } else if (again.outcome !== undefined) {
      test.outcome = { status: "failed", message: passesAlone(test.crash) };
    }
    if (again.output !== undefined) test.output = again.output;
  }

  /** All tests as they stand. */
  tests(): ProjectTest[] {
    return this.#tests.map((test) => this.#view(test));
  }

  #view(test: LoggedTest): ProjectTest {
    const { outcome, crash, output } = test;
    const text = output?.text();
    const shown = text === undefined || text === "" ? {} : { output: text };
    if (outcome !== undefined) return { ...nameOf(test), ...outcome, ...shown };
    if (crash === undefined) return { ...nameOf(test), status: "not_finished", ...shown };
    return { ...nameOf(test), status: "crashed", message: crashText(crash), ...shown };
  }

  #begin(name: TestName): LoggedTest {
    const key = keyOf(name);
    const test: LoggedTest = { ...cut(name), startedAt: this.#now() };
    if (this.#tests.length >= mostTests) return test;
    this.#tests.push(test);
    this.#latest.set(key, test);
    this.#running.set(key, test);
    return test;
  }

  /** A test that ends twice is two tests, as frameworks count. */
  #finish(name: TestName, outcome: ProjectTestOutcome): ProjectTest {
    const key = keyOf(name);
    this.#command.ended++;
    if (outcome.status === "failed") this.#command.failed++;
    const running = this.#running.get(key);
    if (running === undefined && this.#tests.length >= mostTests) {
      this.uncounted[outcome.status]++;
      return { ...cut(name), ...outcome };
    }
    const test = running ?? this.#begin(name);
    this.#running.delete(key);
    test.outcome = bounded({
      ...outcome,
      ...definedOnly({
        durationMs: outcome.durationMs ??
          (running?.startedAt === undefined ? undefined : Math.round(this.#now() - running.startedAt)),
      }),
    });
    return { ...nameOf(test), ...test.outcome };
  }

  #output(name: TestName, text: string): void {
    const test = this.#running.get(keyOf(name)) ?? this.#latest.get(keyOf(name));
    if (test === undefined || this.#isOutputFull) return;
    test.output ??= boundedOutput(outputHalf);
    const before = test.output.size;
    test.output.push(text);
    this.#kept += test.output.size - before;
    if (this.#kept > mostOutput) this.#forgetPassed();
  }

  #forgetPassed(): void {
    for (const test of this.#tests) {
      if (test.outcome?.status !== "passed" || test.output === undefined) continue;
      this.#kept -= test.output.size;
      delete test.output;
    }
    this.#isOutputFull = this.#kept > mostOutput / 2;
  }

  #note(problem: RunProblem): void {
    if (this.problems.length < mostProblems) {
      this.problems.push({ ...problem, message: problem.message.slice(0, longestMessage) });
    }
  }
}

const newCommand = () => ({ planned: 0, ended: 0, failed: 0, unreadable: 0, broken: [] as string[] });

const keyOf = (test: TestName): string => {
  const { suite = "", name } = cut(test);
  return `${suite}\0${name}`;
};
const nameOf = ({ name, suite }: TestName): TestName => ({ name, ...definedOnly({ suite }) });
const cut = ({ name, suite }: TestName): TestName => ({
  name: name.slice(0, longestName),
  ...definedOnly({ suite: suite?.slice(0, longestName) }),
});

const bounded = ({ message, stack, ...outcome }: ProjectTestOutcome): ProjectTestOutcome => ({
  ...outcome,
  ...definedOnly({ message: message?.slice(0, longestMessage), stack: stack?.slice(0, mostFrames) }),
});

export const exitText = ({ code, signal }: Pick<CommandExit, "code" | "signal">): string =>
  signal === null ? `exit code ${code}` : `signal ${signal}`;

const crashText = (how: string): string => `The process ended while this test ran (${how})`;

const passesAlone = (how: string | undefined): string =>
  `The process ended while this test ran${
    how === undefined ? "" : ` (${how})`
  }; alone the test ends as it should`;

/** Last lines of what the process said, which name the cause where a framework has no words for it. */
function withTail(message: string, stderr: string): string {
  const tail = stderr.trimEnd().split("\n").slice(-15).map((line) => line.slice(0, 300)).join("\n");
  return tail === "" ? message : `${message}\n${tail}`;
}
