/** What is said where signals propose no tests for a plugin: that is no mistake, and most plugins give some of them none. */
import { PthError } from "../core/errors.ts";
import type { GeneratedTests, GenerateOptions } from "../api/harness.ts";

export type Signals = Readonly<NonNullable<GenerateOptions["from"]>>;

const why: Record<Signals[number], string> = {
  schema: "the plugin lists no tool that may be called",
  source_analysis: "its source compares no input with a value, and shows no tools that share state",
  documentation: "its README and docs show no call that a tool's schema allows",
  config: "its files declare no option whose values are known",
};

const named = (from: Signals): string => from.length === 0 ? "the signals" : from.join(", ");

/** `No test from config: its files declare …`, a line for each signal. */
export const noProposals = (from: Signals): string =>
  from.map((signal) => `No test from ${signal}: ${why[signal]}\n`).join("");

/**
 * A run that tests nothing must not look like one that passed.
 * @returns `NO_TESTS_MATCH`
 */
export function nothingToRun(from: Signals, { heldBack }: GeneratedTests): PthError {
  const tools = heldBack.map(({ tool }) => tool);
  return new PthError("NO_TESTS_MATCH", `Cannot run tests: ${named(from)} gives none for this plugin`, {
    tried: from.map((signal) => `${signal}: ${why[signal]}`),
    next: [
      ...(from.includes("schema")
        ? []
        : ["Add --generate schema, or take --generate all: every tool has a schema"]),
      ...(tools.length === 0 ? [] : [`--include-held-back also tries ${tools.join(", ")}`]),
      "Write tests by hand and give them with --tests (docs/test-format.md)",
    ],
  });
}
