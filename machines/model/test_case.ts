/** Tests as plain values (PTH design §6). */
import type { Tier } from "./environment.ts";

export type GeneratedFrom = "schema" | "source_analysis" | "documentation" | "config" | "manual";

/** A command run in the environment, in the plugin's folder, with what is expected of it. */
export interface VerifyCommand {
  exec: string;
  /** Keys of `expect_…` assertions; `expect_exit_code` is 0 unless given. */
  expect: Record<string, unknown>;
}

export type PreparationStep = { exec: string } | { file: { path: string; content: string } };

export interface TestCase {
  /** Unique in the suite: the name as a slug, numbered where two are alike. */
  id: string;
  name: string;
  tier: Tier;
  /** Least environment tier that the test needs. */
  requiresTier?: Tier;
  description?: string;
  /** Tier 1 has one of `tool` and `check`. */
  tool?: string;
  input?: Record<string, unknown>;
  /** A check of the server as a whole, by its file name in `src/testing/checks`. */
  check?: string;
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
  /** Where it was read from. */
  file?: string;
  line?: number;
}

/** Default limits in seconds by tier. */
export const defaultTimeoutSeconds: Record<Tier, number> = { 1: 10, 2: 30, 3: 120 };
