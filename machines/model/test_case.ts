/** Tests as plain values. */
import type { Tier } from "./environment.ts";

/** Signals that tests are generated from, in the order of proposals, and `manual` for tests that a person wrote. */
export const testSources = [
  "schema",
  "source_analysis",
  "documentation",
  "config",
  "learned",
  "manual",
] as const;
export type GeneratedFrom = typeof testSources[number];

/** A command run in the environment, in the plugin's folder, with what is expected of it. */
export interface VerifyCommand {
  exec: string;
  /** Keys of `expect_…` assertions; `expect_exit_code` is 0 unless given. */
  expect: Record<string, unknown>;
}

/** Action of one step of a test; one kind each. */
export type StepAction =
  | { kind: "call"; tool: string; input: Record<string, unknown> }
  /** `resources/read`. */
  | { kind: "read_resource"; uri: string }
  /** `resources/subscribe`; updates are then waited for with `wait_for`. */
  | { kind: "subscribe"; uri: string }
  /** `prompts/get`. */
  | { kind: "get_prompt"; prompt: string; arguments: Record<string, string> }
  /** A notification that has come since the test began, or comes within the limit; each is counted once. */
  | {
    kind: "wait_for";
    /** Method, for example `notifications/resources/updated`; `notifications/progress` too. */
    notification: string;
    /** Part of its `params` that must be there. */
    params?: Record<string, unknown>;
    /** Default 5. */
    timeoutSeconds?: number;
  };

/** Scripted answers to what the server asks its client during a step, each used once and in order. */
export interface ScriptedReplies {
  /** `elicitation/create`: the result as it is sent. */
  elicitation?: { action: "accept" | "decline" | "cancel"; content?: Record<string, unknown> }[];
  /** `sampling/createMessage`: the text that the model is made to say. */
  sampling?: { text: string; model?: string; stopReason?: string }[];
  /** `roots/list`, for the whole test. */
  roots?: { uri: string; name?: string }[];
}

export interface TestStep {
  action: StepAction;
  /** Assertions of the step, as in a test's `expect`; on resources and prompts they see the text of the result. */
  expect: Record<string, unknown>;
  /** Variable name to JSONPath (RFC 9535) over `{ output, text, content, structuredContent, isError }`. */
  capture: Record<string, string>;
  verify: VerifyCommand[];
  replies?: ScriptedReplies;
  /** Cancels the call with `notifications/cancelled`, so long after it began or at its first progress notification. */
  cancel?: { afterMs: number } | { onProgress: true };
  /** Line and column of the step in its file. */
  line?: number;
  column?: number;
}

export type PreparationStep = { exec: string } | { file: { path: string; content: string } };

/** A test that the plugin brings for a framework of its own; PTH has it run, and does not know what it does. */
export interface OwnTest {
  /** Absent where none was found. */
  framework?: string;
  /** Program, file or module that it belongs to, where the framework has such. */
  suite?: string;
  /** Name as its framework takes it; absent where the result stands for the run as a whole. */
  test?: string;
  /** Command line that runs it alone, in the plugin's folder. */
  rerun?: string;
}

export interface TestCase {
  /** Unique in the suite: the name as a slug, numbered where two are alike. */
  id: string;
  name: string;
  tier: Tier;
  /** Least environment tier that the test needs. */
  requiresTier?: Tier;
  description?: string;
  /** Tier 1 has one of `tool` and `check`; Tiers 2 and 3 have neither. */
  tool?: string;
  input?: Record<string, unknown>;
  /** Tier 2: the steps, in order. Tier 3 in scripted mode: its `tool_sequence`. */
  steps?: TestStep[];
  /** Tier 3: what an agent is to do; it has no `steps` then. */
  prompt?: string;
  /** Tier 3: what must be true afterwards, in words; judged by whoever runs the prompt, told for a scripted test. */
  checklist?: string[];
  /** Reason why a generated test was proposed, and its origin (`src/server.ts:40`, `README.md:12`). */
  origin?: string;
  /** A check of the server as a whole, by its file name in `src/testing/checks`. */
  check?: string;
  /** Set for a test of the plugin's own suite, which has no expectation that PTH could judge. */
  own?: OwnTest;
  /** Options of the plugin that a server check's instance is started with. */
  config?: Record<string, string>;
  /** Assertion key to expected value; keys are those of `src/testing/assertions`. */
  expect: Record<string, unknown>;
  /** A call of the same tool that must succeed, else a negative test proves nothing (skipped as inconclusive). */
  control?: { input: Record<string, unknown> };
  verify: VerifyCommand[];
  setup: PreparationStep[];
  teardown: PreparationStep[];
  tags: string[];
  generatedFrom: GeneratedFrom;
  /** Wall-clock limit of the whole test in seconds; absent: the tier's default. */
  timeoutSeconds?: number;
  /** Path of the file that it was read from. */
  file?: string;
  line?: number;
}

/** Default limits in seconds by tier. */
export const defaultTimeoutSeconds: Record<Tier, number> = { 1: 10, 2: 30, 3: 120 };
