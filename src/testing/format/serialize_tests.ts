/** Tests as YAML text that `parseTests` reads back. */
import { stringify } from "yaml";
import type {
  ScriptedReplies,
  StepAction,
  TestCase,
  TestStep,
  VerifyCommand,
} from "../../../machines/model/test_case.ts";
import { definedOnly } from "../../core/values.ts";

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
  const steps = test.steps?.map(stepText);
  const text = {
    name: test.name,
    tier: test.tier,
    requires_tier: test.requiresTier,
    description: test.description,
    tool: test.tool,
    check: test.check,
    config: test.config,
    input: test.input,
    control: test.control,
    expect: nonEmpty(test.expect),
    steps: test.tier === 3 ? undefined : steps,
    prompt: test.prompt,
    tool_sequence: test.tier === 3 ? steps : undefined,
    checklist: test.checklist,
    verify: verifyText(test.verify),
    setup: nonEmpty(test.setup),
    teardown: nonEmpty(test.teardown),
    tags: nonEmpty(test.tags),
    generated_from: test.generatedFrom,
    origin: test.origin,
    timeout_seconds: test.timeoutSeconds,
  };
  return definedOnly(text);
}

function stepText({ action, expect, capture, verify, replies, cancel }: TestStep): Record<string, unknown> {
  return definedOnly({
    ...actionText(action),
    expect: nonEmpty(expect),
    capture: nonEmpty(capture),
    verify: verifyText(verify),
    replies: replies === undefined ? undefined : repliesText(replies),
    cancel: cancel === undefined ? undefined : cancelText(cancel),
  });
}

function actionText(action: StepAction): Record<string, unknown> {
  switch (action.kind) {
    case "call":
      return { tool: action.tool, input: nonEmpty(action.input) };
    case "read_resource":
      return { read_resource: action.uri };
    case "subscribe":
      return { subscribe: action.uri };
    case "get_prompt":
      return { get_prompt: action.prompt, arguments: nonEmpty(action.arguments) };
    case "wait_for": {
      const { notification, params, timeoutSeconds } = action;
      return { wait_for: definedOnly({ notification, params, timeout_seconds: timeoutSeconds }) };
    }
  }
}

const repliesText = ({ elicitation, sampling, roots }: ScriptedReplies): Record<string, unknown> =>
  definedOnly({
    elicitation,
    sampling: sampling?.map(({ stopReason, ...reply }) => definedOnly({ ...reply, stop_reason: stopReason })),
    roots,
  });

const cancelText = (cancel: NonNullable<TestStep["cancel"]>): Record<string, unknown> =>
  "onProgress" in cancel ? { on_progress: true } : { after_ms: cancel.afterMs };

const verifyText = (verify: readonly VerifyCommand[]): object[] | undefined =>
  nonEmpty(verify.map(({ exec, expect }) => ({ exec, ...expect })));

const nonEmpty = <T extends object>(value: T): T | undefined =>
  Object.keys(value).length === 0 ? undefined : value;
