/** Events and facts of a suite. */
import type { Observation } from "../model/observation.ts";
import type { Verdict } from "../model/verdict.ts";
import type { OrderFact } from "../order_machine.ts";
import type { TestFact } from "../test_machine.ts";
import type { Attempts } from "./attempts.ts";

export type SuiteEvent =
  | { type: "suite.cancel" }
  | TestFact
  | OrderFact
  /** A test's actor has died of an error of its own. */
  | { type: `xstate.error.actor.${string}`; error: unknown; actorId: string };

type Finished = Extract<TestFact, { type: "test.finished" }>;

/** Facts for the session: each test ends once, however often it ran. */
export type SuiteFact =
  | Exclude<TestFact, Finished | { type: "test.slow" }>
  | (Finished & { attempts?: Attempts })
  /** A test has ended, and is reported once its order was checked. */
  | { type: "test.pending"; testId: string }
  /** A run of a test has ended, and the test will run again. */
  | {
    type: "test.retried";
    testId: string;
    /** Number of the run, from 1. */
    attempt: number;
    verdict: Verdict;
    observation: Observation;
    connectionId: string | undefined;
  }
  | { type: "suite.finished"; ran: number; reason: "complete" | "bailed" | "cancelled" };
