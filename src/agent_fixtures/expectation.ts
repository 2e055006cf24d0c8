/** Defines expectations on agents' sessions: one file each in `expectations/`. */
import type { z } from "zod";
import type { CheckCommand } from "../../machines/model/agent_fixture.ts";
import type { ObservedSession } from "./observed_session.ts";

/** Outcome of one expectation. */
export type Judgement =
  | { pass: true; actual: unknown; /** Index in the timeline. */ at?: number }
  | {
    pass: false;
    /** The nearest miss; null where there is nothing like it. */
    actual: unknown;
    /** Names what is missing, and what the nearest miss lacks. */
    reason: string;
  };

interface ExpectationDefinition<Expected> {
  /** Name of its file, and `type` in test files. */
  type: string;
  /** One line for the reference: what must have happened. */
  summary: string;
  /** Schema of `expected`; descriptions of its keys are the reference. */
  schema: z.ZodType<Expected>;
  /** A value of `expected`, for the reference. */
  example: unknown;
  /** Describes the expectation where a test gives no `description`. */
  describe(expected: Expected): string;
  /**
   * Puts in what lies in files of the fixture.
   * @param read Text of a file: below the fixture's folder, else below the nearest folder above it that has it
   * @throws {PthError} where one cannot be read
   */
  withFiles?(expected: Expected, read: (path: string) => Promise<string>): Promise<Expected>;
  /** Commands that are run in the project after the session. */
  checks?(expected: Expected): CheckCommand[];
  /** Whether it is judged on the texts that the model was sent. */
  needsModelInput?: true;
  judge(expected: Expected, session: ObservedSession): Judgement;
}

/** Any expectation, its expected value already checked against its schema. */
export type Expectation = ExpectationDefinition<unknown>;

/** Identity with types: the default export of a file in `expectations/`. */
export const defineExpectation = <Expected>(
  definition: ExpectationDefinition<Expected>,
): ExpectationDefinition<Expected> => definition;
