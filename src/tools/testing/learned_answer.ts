/** Inputs that a client supplies for tools, and the words for what came of them and of a search. */
import * as z from "zod";
import type { GeneratedTests, LearnedTests, LearnOptions } from "../../api/harness.ts";
import { count, oneLine, textExcerpt, visibleName } from "../../core/text.ts";
import { definedOnly } from "../../core/values.ts";
import { unexercised, unexercisedReason } from "../../testing/exercise/exercise_text.ts";
import { limitedList } from "../text/join_lines.ts";

const input = z.record(z.string(), z.unknown()).exactOptional();

/** An input with the calls before it, written as in `.pth/learned.yaml`. */
export const learnedInputField = z.strictObject({
  tool: z.string().min(1),
  input,
  setup: z.array(z.strictObject({
    tool: z.string().min(1),
    input,
    capture: z.record(z.string(), z.string()).exactOptional()
      .describe('For $name in later inputs: "$.output.id", "/ID: (.+)/".'),
  })).max(50).exactOptional(),
});

type GivenInput = z.infer<typeof learnedInputField>;

export const learnRequest = (
  { tools, includeHeldBack }: { tools?: string[] | undefined; includeHeldBack?: boolean | undefined },
  inputs: readonly GivenInput[] | undefined,
): LearnOptions => ({
  ...definedOnly({ tools, includeHeldBack }),
  ...(inputs === undefined ? {} : {
    inputs: inputs.map(({ tool, input = {}, setup = [] }) => ({
      tool,
      input,
      setup: setup.map(({ tool, input = {}, capture = {} }) => ({ tool, input, capture })),
    })),
  }),
});

export const learnedAnswerSchema = z.object({
  accepted: z.array(z.string()).readonly().describe("Tools."),
  refused: z.array(z.object({ tool: z.string(), reason: z.string() })).readonly(),
  file: z.string().optional(),
});

export const learnedAnswer = ({ learned, refused, file }: LearnedTests) => ({
  accepted: learned.map(({ tool }) => tool),
  refused: refused.map(({ tool, reason }) => ({ tool, reason })),
  ...definedOnly({ file }),
});

/** Limit of rows for refusals, and for tools. */
const mostRows = 25;

export function learnedRows({ learned, refused, file, cutShort }: LearnedTests): string[] {
  const names = limitedList(learned.map(({ tool }) => visibleName(tool)), mostRows).join(", ");
  return [
    `${count(learned.length, "input")} accepted${learned.length === 0 ? "" : `: ${names}`}` +
    `${file === undefined ? "" : `; kept in ${file}`}${
      cutShort === undefined ? "" : `; ended early: ${cutShort}`
    }`,
    ...limitedList(
      refused.map(({ tool, reason, input }) =>
        `- ${visibleName(tool)} refuses ${textExcerpt(input, 200)}: ${oneLine(reason, 300)}`
      ),
      mostRows,
    ),
  ];
}

/** Tools that the latest run did not exercise, and the reason of each; none before a run. */
export const unexercisedTools = (
  { exercise = [] }: Pick<GeneratedTests, "exercise">,
): { tool: string; reason: string }[] =>
  unexercised(exercise).map((each) => ({ tool: each.tool, reason: unexercisedReason(each) }));

export const unexercisedRows = (
  left: readonly { tool: string; reason: string }[],
  detail: boolean | undefined,
): string[] =>
  left.length === 0 ? [] : [
    `Not exercised by the last run (inputs that work: pth_generate_tests({ inputs: [{ tool, input, setup }] })):`,
    ...limitedList(
      left.map(({ tool, reason }) => `- ${visibleName(tool)}: ${oneLine(reason, 200)}`),
      detail ? left.length : mostRows,
    ),
  ];
