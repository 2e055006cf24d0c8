/** A test's text, its shape and rules checked, as a test. */
import type {
  GeneratedFrom,
  PreparationStep,
  ScriptedReplies,
  StepAction,
  TestCase,
  TestStep,
  VerifyCommand,
} from "../../../machines/model/test_case.ts";
import { definedOnly } from "../../core/values.ts";
import type { StepText, TestText } from "./test_schema.ts";
import { tierOf } from "./broken_rules.ts";
import type { Path } from "../../core/read_source.ts";

/** Line and column (from 1) of a part of the test. */
type PlaceOf = (path: Path) => { line: number; column: number };

/** Reads one test. The caller, who knows the whole suite, gives it its id. */
export function readTest(text: TestText, file: string, decidingPlace: PlaceOf): TestCase {
  const stepKey = text.steps === undefined ? "tool_sequence" : "steps";
  return definedOnly({
    id: "",
    name: text.name,
    tier: tierOf(text),
    requiresTier: text.requires_tier,
    description: text.description,
    tool: text.tool,
    input: text.tool === undefined ? undefined : text.input ?? {},
    check: text.check,
    config: text.config,
    steps: text[stepKey]?.map((step, index) => readStep(step, decidingPlace([stepKey, index]))),
    prompt: text.prompt,
    checklist: text.checklist,
    expect: text.expect ?? {},
    control: text.control,
    verify: readVerify(text.verify),
    setup: (text.setup ?? []) as PreparationStep[],
    teardown: (text.teardown ?? []) as PreparationStep[],
    tags: text.tags ?? [],
    generatedFrom: (text.generated_from ?? "manual") as GeneratedFrom,
    origin: text.origin,
    timeoutSeconds: text.timeout_seconds,
    file,
    line: decidingPlace([]).line,
  });
}

function readStep(text: StepText, place: { line: number; column: number }): TestStep {
  const { cancel } = text;
  return definedOnly({
    action: readAction(text),
    expect: text.expect ?? {},
    capture: text.capture ?? {},
    verify: readVerify(text.verify),
    replies: text.replies === undefined ? undefined : readReplies(text.replies),
    cancel: cancel === undefined
      ? undefined
      : cancel.after_ms === undefined
      ? { onProgress: true as const }
      : { afterMs: cancel.after_ms },
    ...place,
  });
}

/** A step has exactly one of these: `step_rules.ts` has checked it. */
function readAction(step: StepText): StepAction {
  if (step.tool !== undefined) return { kind: "call", tool: step.tool, input: step.input ?? {} };
  if (step.read_resource !== undefined) return { kind: "read_resource", uri: step.read_resource };
  if (step.subscribe !== undefined) return { kind: "subscribe", uri: step.subscribe };
  if (step.get_prompt !== undefined) {
    return { kind: "get_prompt", prompt: step.get_prompt, arguments: step.arguments ?? {} };
  }
  const { notification, params, timeout_seconds } = step.wait_for!;
  return definedOnly({ kind: "wait_for" as const, notification, params, timeoutSeconds: timeout_seconds });
}

const readReplies = ({ elicitation, sampling, roots }: NonNullable<StepText["replies"]>): ScriptedReplies =>
  definedOnly({
    elicitation: elicitation?.map(definedOnly),
    sampling: sampling?.map(({ stop_reason, ...reply }) =>
      definedOnly({ ...reply, stopReason: stop_reason })
    ),
    roots: roots?.map(definedOnly),
  }) as ScriptedReplies;

const readVerify = (commands: TestText["verify"]): VerifyCommand[] =>
  (commands ?? []).map(({ exec, ...expect }) => ({ exec, expect }));
