/** Explains why signals propose no tests for a plugin, which is normal for some signals of most plugins. */
import { PthError } from "../core/errors.ts";
import type { GeneratedTests, GenerateOptions } from "../api/harness.ts";

export type Signals = Readonly<NonNullable<GenerateOptions["from"]>>;

const why: Record<Signals[number], string> = {
  schema: "the plugin lists no tool that may be called",
  source_analysis:
    "source analysis found no input that is compared with a value, and no tools that share state",
  documentation: "its README and docs show no call that a tool's schema allows",
  config: "its files declare no option whose values are known",
  learned: "it has no .pth/learned.yaml",
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
        : ["Use --generate schema or --generate all: every tool has a schema"]),
      ...(tools.length === 0 ? [] : [`--include-destructive also tests ${tools.join(", ")}`]),
      "Write tests and pass them with --tests (docs/test-format.md)",
    ],
  });
}
