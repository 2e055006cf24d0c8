/** Tests as YAML text that `parseTests` reads back. */
import { stringify } from "yaml";
import type { TestCase } from "../../machines/model/test_case.ts";

/**
 * One YAML document per test, keys always in the same order; the same tests give the same bytes.
 * Ids and places are not written: both follow from the file.
 */
export function serializeTests(tests: readonly TestCase[]): string {
  return tests.map((test) => stringify(toText(test), options)).join("---\n");
}

// Folded lines and anchors would make a diff of two suites unreadable.
const options = { lineWidth: 0, aliasDuplicateObjects: false } as const;

function toText(test: TestCase): Record<string, unknown> {
  const text: Record<string, unknown> = {
    name: test.name,
    tier: test.tier,
    requires_tier: test.requiresTier,
    description: test.description,
    tool: test.tool,
    check: test.check,
    input: test.input,
    control: test.control,
    expect: nonEmpty(test.expect),
    verify: nonEmpty(test.verify.map(({ exec, expect }) => ({ exec, ...expect }))),
    setup: nonEmpty(test.setup),
    teardown: nonEmpty(test.teardown),
    tags: nonEmpty(test.tags),
    generated_from: test.generatedFrom,
    timeout_seconds: test.timeoutSeconds,
  };
  return Object.fromEntries(Object.entries(text).filter(([, value]) => value !== undefined));
}

const nonEmpty = <T extends object>(value: T): T | undefined =>
  Object.keys(value).length === 0 ? undefined : value;
