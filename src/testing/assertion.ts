/** Defines assertions: one file each in `assertions/`. */
import type { z } from "zod";
import type { CallOutcome, ToolDefinition } from "../../machines/model/plugin.ts";
import type { FailureCategory, Finding } from "../../machines/model/verdict.ts";

/** A tool call's answer, with what an assertion may need to know about the call. */
export interface ResponseSubject {
  tool: string;
  input: Record<string, unknown>;
  /** Absent when `tools/list` has no such tool. */
  definition?: ToolDefinition;
  outcome: CallOutcome;
  /** Answer of the test's control call. */
  control?: CallOutcome;
  /** Findings become failures. */
  strict: boolean;
}

/** A finished `verify` command. */
interface CommandSubject {
  /** Null where a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Subjects {
  response: ResponseSubject;
  command: CommandSubject;
}

/** Outcome of one assertion, as data; texts are formatted only when they are needed. */
export interface AssertionResult {
  pass: boolean;
  expected: unknown;
  actual: unknown;
  /** Text of a failure; its first line stands alone. */
  message(): string;
  /** Kind of the failure where it is not the subject's usual one. */
  category?: FailureCategory;
  /** The answer decides nothing: why the test counts neither as passed nor as failed. */
  skip?: string;
  note?: string;
  findings?: Finding[];
}

interface AssertionDefinition<S extends keyof Subjects, E> {
  /** Key in `expect` (response) or in a `verify` command (command). */
  key: string;
  subject: S;
  /** Shape of the expected value; its message says what is expected. */
  schema: z.ZodType<E>;
  /** One line for the reference table. */
  summary: string;
  /** True if the assertion is offered as `<key>_i`, too, which ignores upper and lower case. */
  caseInsensitive?: true;
  /** Stands alone in `expect`: it brings rules of its own for success and refusal. */
  exclusive?: true;
  check(expected: E, observed: Subjects[S], options: { ignoreCase: boolean }): AssertionResult;
}

/** Any assertion, its expected value already checked against its schema. */
export type Assertion = { [S in keyof Subjects]: AssertionDefinition<S, unknown> }[keyof Subjects];

/** Identity with types: the default export of a file in `assertions/`. */
export const defineAssertion = <S extends keyof Subjects, E>(
  definition: AssertionDefinition<S, E>,
): AssertionDefinition<S, E> => definition;

/** A result that passed; there is nothing to say. */
export const passed = (expected: unknown, actual: unknown): AssertionResult => ({
  pass: true,
  expected,
  actual,
  message: () => "",
});
