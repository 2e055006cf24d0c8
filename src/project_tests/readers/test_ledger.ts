/** Keeps account of the tests of a run: each starts and finishes once, and no suite ends well that did not. */
import type { ProjectTestEvent, ProjectTestOutcome, TestName } from "../../../machines/model/project_test.ts";
import { cutMiddle } from "./line_cutter.ts";

const mostTests = 100_000;
const mostSuites = 20_000;
const longestName = 1000;

/** Numbers that a framework tells at the end of a suite; those it does not know are absent. */
export type ReportedCounts = Partial<Record<ProjectTestOutcome["status"], number>>;

export interface TestLedger {
  /** More tests are known to come; of suites that are open already, too. */
  plan(suite: string | undefined, tests?: number): void;
  start(test: TestName): void;
  output(text: string, test?: TestName): void;
  /** One that was not started is started first. One that finishes twice in different ways puts its suite in doubt. */
  finish(test: TestName, outcome: ProjectTestOutcome): void;
  /** The suite ends as the framework says; it is complete when that agrees with what was reported before. */
  endSuite(suite: string | undefined, counts?: ReportedCounts): void;
  /** The suite will tell no more, and has not said that it is complete. */
  breakSuite(suite: string | undefined, reason: string): void;
  notRun(event: Omit<Extract<ProjectTestEvent, { type: "not_run" }>, "type">): void;
  unreadable(text: string): void;
  /** Tests that are started and not finished. */
  running(): TestName[];
  /** Breaks what is open. */
  end(reason: string): void;
  /** Answers the events since the last call. */
  take(): ProjectTestEvent[];
}

interface SuiteState {
  planned?: number;
  seen: number;
  counts: Record<ProjectTestOutcome["status"], number>;
  running: Map<string, TestName>;
  doubt?: string;
}

export interface LedgerOptions {
  /** A test that starts again after its end is another: `name #2`. */
  repeats?: boolean;
}

export function createTestLedger({ repeats = false }: LedgerOptions = {}): TestLedger {
  const suites = new Map<string | undefined, SuiteState>();
  const outcomes = new Map<string, "running" | ProjectTestOutcome["status"]>();
  const repeated = new Map<string, number>();
  let events: ProjectTestEvent[] = [];

  const stateOf = (long: string | undefined): SuiteState => {
    const suite = long === undefined ? undefined : shortName(long);
    let state = suites.get(suite);
    if (state === undefined) {
      state = { seen: 0, counts: { passed: 0, failed: 0, skipped: 0 }, running: new Map() };
      if (suites.size < mostSuites) suites.set(suite, state);
    }
    return state;
  };
  const keyOf = ({ suite = "", name }: { suite?: string | undefined; name: string }): string =>
    `${suite}\0${name}`;

  /** The test as it is reported: with its number where it was run before, and a name of bounded length. */
  const toldAs = ({ suite: long, name }: TestName): TestName => {
    const short = shortName(name);
    const suite = long === undefined ? undefined : shortName(long);
    const again = repeated.get(keyOf({ suite, name: short }));
    const told = again === undefined ? short : `${short} #${again}`;
    return suite === undefined ? { name: told } : { name: told, suite };
  };

  const begin = (asked: TestName): TestName | undefined => {
    let test = toldAs(asked);
    let key = keyOf(test);
    const known = outcomes.get(key);
    if (known !== undefined && (known === "running" || !repeats)) return test;
    const state = stateOf(asked.suite);
    if (outcomes.size >= mostTests) {
      state.doubt ??= `more than ${mostTests} tests were started; the rest is left out`;
      return undefined;
    }
    if (known !== undefined) {
      const first = keyOf({ suite: test.suite, name: shortName(asked.name) });
      repeated.set(first, (repeated.get(first) ?? 1) + 1);
      test = toldAs(asked);
      key = keyOf(test);
    }
    outcomes.set(key, "running");
    state.seen++;
    state.running.set(key, test);
    events.push({ type: "started", test });
    return test;
  };

  const close = (long: string | undefined, reason: string | undefined): void => {
    const suite = long === undefined ? undefined : shortName(long);
    suites.delete(suite);
    const of = suite === undefined ? {} : { suite };
    events.push(
      reason === undefined
        ? { type: "suite_ended", ...of, complete: true }
        : { type: "suite_ended", ...of, complete: false, reason },
    );
  };

  return {
    plan(long, tests) {
      const state = stateOf(long);
      const suite = long === undefined ? undefined : shortName(long);
      if (tests !== undefined) state.planned = (state.planned ?? 0) + tests;
      events.push({
        type: "planned",
        ...suite === undefined ? {} : { suite },
        ...tests === undefined ? {} : { tests },
      });
    },
    start: (test) => void begin(test),
    output(text, test) {
      if (text === "") return;
      const told = test === undefined ? {} : { test: toldAs(test) };
      events.push({ type: "output", ...told, text: cutMiddle(text) });
    },
    finish(asked, outcome) {
      const test = toldAs(asked);
      const key = keyOf(test);
      const state = stateOf(asked.suite);
      const known = outcomes.get(key);
      if (known !== undefined && known !== "running") {
        if (known !== outcome.status) {
          state.doubt ??= `${test.name} is told to be ${known}, and then ${outcome.status}`;
        }
        return;
      }
      if (known === undefined && begin(asked) === undefined) return;
      outcomes.set(key, outcome.status);
      state.running.delete(key);
      state.counts[outcome.status]++;
      const { message, durationMs, ...rest } = outcome;
      events.push({
        type: "finished",
        test,
        outcome: {
          ...rest,
          ...durationMs === undefined ? {} : { durationMs: Math.round(durationMs * 1000) / 1000 },
          ...message === undefined ? {} : { message: cutMiddle(message, 16 * 1024) },
        },
      });
    },
    endSuite(suite, counts = {}) {
      const state = stateOf(suite);
      close(suite, state.doubt ?? contradiction(state, counts));
    },
    breakSuite(suite, reason) {
      const state = stateOf(suite);
      close(suite, state.doubt === undefined ? reason : `${reason}; ${state.doubt}`);
    },
    notRun: (event) =>
      void events.push({ type: "not_run", ...event, message: cutMiddle(event.message, 16 * 1024) }),
    unreadable: (text) => void events.push({ type: "unreadable", text: cutMiddle(text, 4096) }),
    running: () => [...suites.values()].flatMap(({ running }) => [...running.values()]),
    end(reason) {
      for (const [suite, state] of [...suites]) {
        close(suite, state.doubt === undefined ? reason : `${reason}; ${state.doubt}`);
      }
    },
    take() {
      const taken = events;
      events = [];
      return taken;
    },
  };
}

const shortName = (name: string): string =>
  name.length > longestName ? `${name.slice(0, longestName)}…` : name;

/** A contradiction between what a suite says at its end and what it said before. */
function contradiction(state: SuiteState, told: ReportedCounts): string | undefined {
  const [running] = state.running.values();
  if (running !== undefined) {
    return `the suite ends while ${running.name} ${
      state.running.size === 1 ? "has" : `and ${state.running.size - 1} more have`
    } not finished`;
  }
  if (state.planned !== undefined && state.seen < state.planned) {
    return `${state.seen} of ${state.planned} tests were run`;
  }
  for (const [status, number] of Object.entries(told)) {
    const seen = state.counts[status as keyof typeof state.counts];
    if (number !== seen) {
      return `the framework counts ${number} ${status} at the end, and has told ${seen} one by one`;
    }
  }
  return undefined;
}
