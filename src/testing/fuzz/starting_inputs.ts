/** Inputs that are known to work, from which fuzzing starts, with the calls that prepare them. */
import type { PreparingCall, StartingInput } from "../../../machines/model/fuzz.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { isObject } from "../../core/values.ts";
import { captureFrom } from "../judge/judge_step.ts";
import { escapeVariables, replaceVariables } from "../format/variables.ts";
import type { FuzzServer } from "./fuzz_server.ts";
import type { ReplayContext } from "./replay.ts";

/** Starting inputs of one tool at most. */
const mostOfTool = 10;

/** Calls of a test that its last call needs, and that call; nothing where it expects an error, or needs more than calls. */
export function startingInputsOf(test: TestCase): StartingInput[] {
  const { setup: before, expect, tags } = test;
  // What fuzzing found has its own test, and values of the session are not known here.
  if (before.length > 0 || expectsError(expect) || tags.includes("fuzz") || namesVariables(test)) return [];
  if (test.tool !== undefined) {
    return [{ tool: test.tool, input: asStepValue(test.input ?? {}) as StartingInput["input"], setup: [] }];
  }
  const found: StartingInput[] = [];
  const setup: PreparingCall[] = [];
  for (const { action, expect, capture } of test.steps ?? []) {
    if (action.kind !== "call" || expectsError(expect)) return found;
    found.push({ tool: action.tool, input: action.input, setup: [...setup] });
    setup.push({ tool: action.tool, input: action.input, capture });
  }
  return found;
}

const namesVariables = ({ input, steps }: TestCase): boolean =>
  JSON.stringify([input, steps]).includes("${env:");

/** A value with each dollar as it is written where `$name` is a variable. */
export const asStepValue = (value: unknown): unknown => renamed(value, escapeVariables);

const expectsError = (expect: Record<string, unknown>): boolean =>
  expect.success === false || "refuses" in expect ||
  Object.keys(expect).some((key) => key.startsWith("error_"));

/** Starting inputs of a tool, each once, with variables of names of their own. */
export function startingInputsFor(tool: string, all: readonly StartingInput[]): StartingInput[] {
  const own = new Map(all.filter((each) => each.tool === tool).map((each) => [JSON.stringify(each), each]));
  return [...own.values()].slice(0, mostOfTool).map((each, index) =>
    withOwnNames(each, `${tool.replace(/\W/g, "_")}_${index + 1}_`)
  );
}

/** Variables of several inputs stand side by side in one sequence of calls. */
function withOwnNames({ tool, input, setup }: StartingInput, prefix: string): StartingInput {
  const rename = (value: Record<string, unknown>) =>
    renamed(
      value,
      (text) =>
        text.replace(/\$(\$|[A-Za-z_]\w*)/g, (found, name: string) =>
          name === "$" ? found : `$${prefix}${name}`),
    ) as Record<string, unknown>;
  return {
    tool,
    input: rename(input),
    setup: setup.map((call) => ({
      tool: call.tool,
      input: rename(call.input),
      capture: Object.fromEntries(
        Object.entries(call.capture).map(([name, place]) => [`${prefix}${name}`, place]),
      ),
    })),
  };
}

function renamed(value: unknown, rename: (text: string) => string): unknown {
  if (typeof value === "string") return rename(value);
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renamed(item, rename)]));
}

/**
 * Makes the calls before a starting input, and answers what they captured; undefined where one is not answered.
 * @throws {PthError} as `FuzzServer.call`
 */
export async function prepare(
  { setup }: StartingInput,
  { callable }: Pick<ReplayContext, "callable">,
  server: FuzzServer,
  limitMs: number,
): Promise<Record<string, unknown> | undefined> {
  const variables: Record<string, unknown> = {};
  for (const { tool: name, input: template, capture } of setup) {
    const called = callable(name);
    if (called === undefined) return undefined;
    const input = replaceVariables(template, variables);
    const { outcome, loss } = await server.call({
      ...{ tool: called.tool, input, valid: called.isValid(input), limitMs, patient: true },
      ...{ template, capture: () => capture },
    });
    if (outcome === undefined || loss !== undefined || outcome.isError) return undefined;
    Object.assign(variables, captureFrom(outcome, capture).values);
  }
  return variables;
}
