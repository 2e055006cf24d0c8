/** Inputs that a tool is called with: those that are known to work, drawn ones, and known ones with a drawn property. */
import fc from "fast-check";
import type { StartingInput } from "../../../machines/model/fuzz.ts";
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { workLimitMs } from "../../platform/bounded.ts";
import { exampleInput } from "../json_schema/example_input.ts";
import { inTime } from "../json_schema/in_time.ts";
import type { FuzzInput, ToolInputs } from "./arbitraries/inputs.ts";
import { drawing, toolSeed } from "./seeds.ts";
import { asStepValue, startingInputsFor } from "./starting_inputs.ts";

export interface PlanOptions {
  runs: number;
  seed: number;
  startingInputs: readonly StartingInput[];
}

export interface CalledInput extends FuzzInput {
  path: string;
  /** Starting input that it was made from, and what of it is replaced. */
  from?: { start: StartingInput; replaced: Record<string, unknown> };
  /** Calls of other tools come before it. */
  isLed: boolean;
}

/** To draw one input, in ms: most take less than one. */
const drawMs = 10;
/** Share of starting inputs as they are. */
const mostGiven = 0.25;

export interface Plan {
  inputs: readonly CalledInput[];
  /** Reason why there are none. */
  problem?: string;
}

/** The first half is called on servers that no other tool has touched. */
export function planInputs(
  tool: ToolDefinition,
  inputs: ToolInputs | undefined,
  { runs, seed, startingInputs }: PlanOptions,
): Plan {
  if (inputs === undefined) {
    const problem = "its inputSchema does not compile, or no input that it allows was found in time";
    return { inputs: [], problem };
  }
  const { result: drawn, problem } = inTime(
    tool.inputSchema,
    () => fc.sample(inputs.all, drawing(toolSeed(seed, tool.name), runs)),
    Math.max(workLimitMs, runs * drawMs),
  );
  if (problem !== undefined) return { inputs: [], problem: `its inputSchema does not end: ${problem}` };
  const example = exampleInput(tool)?.input ?? inputs.plain;
  const starts = [
    ...startingInputsFor(tool.name, startingInputs),
    { tool: tool.name, input: asStepValue(example) as StartingInput["input"], setup: [] },
  ];
  const given = starts.slice(0, Math.ceil(runs * mostGiven)).map((start, index) => ({
    ...{ input: start.input, path: `start ${index}`, from: { start, replaced: {} } },
  }));
  const others = drawn.map((input, index) => varied({ ...input, path: String(index) }, index, starts));
  const all = [...given, ...others].slice(0, runs);
  return { inputs: all.map((input, index) => ({ ...input, isLed: index >= all.length / 2 })) };
}

type Unplaced = Omit<CalledInput, "isLed">;

/** Every fourth input is a starting input of which one property is drawn. */
function varied(drawn: Unplaced, index: number, starts: readonly StartingInput[]): Unplaced {
  const start = starts[Math.floor(index / 4) % starts.length]!;
  const keys = Object.keys(drawn.input);
  const key = keys[index % Math.max(1, keys.length)];
  if (index % 4 !== 3 || key === undefined || drawn.breach !== undefined) return drawn;
  // Within a starting input a dollar begins a variable.
  return { ...drawn, from: { start, replaced: { [key]: asStepValue(drawn.input[key]) } } };
}
