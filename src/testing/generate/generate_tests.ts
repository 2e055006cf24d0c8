/** Generates tests from all signals asked for, and leaves out those that a suite has. */
import type { GeneratedTests, GenerateOptions } from "../../api/harness.ts";
import { ownSignals, type PluginMaterial, signals } from "../generator.ts";
import { registry as generators } from "../generators/_registry.ts";
import { excludedTools, realPlace } from "./excluded_tools.ts";
import type { GeneratedFrom, TestCase, TestStep } from "../../../machines/model/test_case.ts";

/**
 * Tests from the signals asked for, none of them twice. The same material and options give the same tests.
 * @throws the signal's reason
 */
export async function generateTests(
  material: PluginMaterial,
  asked: GenerateOptions,
  signal?: AbortSignal,
): Promise<GeneratedTests> {
  const options = { ...asked, place: material.place ?? realPlace };
  const from: readonly GeneratedFrom[] = options.from ?? ownSignals;
  const chosen = signals.flatMap((name) =>
    from.includes(name) ? generators.find((generator) => generator.name === name) ?? [] : []
  );
  const all: GeneratedTests = { tests: [], findings: [], heldBack: excludedTools(material.tools, options) };
  for (const generator of chosen) {
    const { tests, findings } = await generator.generate(material, options, signal);
    // An example of the README may equal a proposal from the schema: the first signal keeps it.
    all.tests.push(...newTests(withoutRepeats(tests), all.tests).added);
    all.findings.push(...findings);
  }
  return all;
}

/**
 * Proposals that are not among the tests of a suite. One is known when a test does the same (calls, inputs,
 * expectations), comes from the same place (a person may have changed it since), or has its name in a file.
 */
export function newTests(
  proposed: readonly TestCase[],
  suite: readonly TestCase[],
): { added: TestCase[]; known: NonNullable<GeneratedTests["known"]> } {
  const deeds = new Set(suite.map(deedOf));
  const origins = new Set(suite.flatMap(({ origin }) => origin ?? []));
  // Of two tests in files one name would be a mistake.
  const names = new Set(suite.filter(({ file }) => file !== undefined).map(({ name }) => name));
  const known: Partial<Record<GeneratedFrom, number>> = {};
  const added = proposed.filter((test) => {
    const deed = deedOf(test);
    const isNew = !deeds.has(deed) && !names.has(test.name) &&
      !(test.origin !== undefined && origins.has(test.origin));
    if (!isNew) known[test.generatedFrom] = (known[test.generatedFrom] ?? 0) + 1;
    return isNew;
  });
  return { added, known };
}

/** The first of each that do the same: a document may show one example twice. */
export function withoutRepeats(tests: readonly TestCase[]): TestCase[] {
  const seen = new Set<string>();
  return tests.filter((test) => !seen.has(deedOf(test)) && seen.add(deedOf(test)));
}

/** Text that is equal for tests with the same calls and expectations; names, tags and places do not count. */
function deedOf(
  { tool, input, check, config, expect, control, steps, verify, setup, prompt }: TestCase,
): string {
  const calls = steps?.map(({ action, expect, capture, verify }: TestStep) => ({
    action,
    expect,
    capture,
    verify,
  }));
  return JSON.stringify(
    sorted({ tool, input: input ?? {}, check, config, expect, control, calls, verify, setup, prompt }),
  );
}

/** Keys in one order, however they were written. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([, each]) => each !== undefined).map(([key, each]) =>
      [key, sorted(each)] as const
    )
      .sort(([a], [b]) => a < b ? -1 : 1),
  );
}
