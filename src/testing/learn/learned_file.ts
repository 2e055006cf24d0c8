/** `.pth/learned.yaml`: inputs that worked, as a person reads and edits them. */
import { stringify } from "yaml";
import * as z from "zod";
import type { PreparingCall } from "../../../machines/model/fuzz.ts";
import type { LearnedInput } from "../../../machines/model/learned.ts";
import { suggestion } from "../../core/did_you_mean.ts";
import { oneLine, textExcerpt, visibleText } from "../../core/text.ts";
import { isObject } from "../../core/values.ts";
import type { Problem } from "../../core/problems.ts";
import { type Path, readSource, type SourceDocument } from "../../core/read_source.ts";
import { issueText, pathText } from "../../core/issue_text.ts";
import { stepRules } from "../format/step_rules.ts";
import { expectSchema } from "../format/test_schema.ts";

/** File of learned inputs, in the plugin's folder. */
export const learnedFile = ".pth/learned.yaml";

const anyMap = z.record(z.string(), z.unknown());

export const learnedCallSchema = z.strictObject({
  tool: z.string().min(1),
  input: anyMap.optional(),
  capture: z.record(z.string(), z.string()).optional(),
});

const learnedSchema = z.strictObject({
  tool: z.string().min(1),
  setup: z.array(learnedCallSchema).max(50).optional(),
  input: anyMap.optional(),
  expect: expectSchema.optional(),
  refusal: z.string().optional(),
});

const head =
  `# Inputs that worked when PTH tried them: each becomes a test, and its tool is not searched again.
# Edit them freely: tool, input, and setup, the calls before it. A call hands on what it captures, by a JSONPath
# ($.output.id) or by the (group) of a /pattern/ on its text; later inputs name it as $variable, and $$ is a dollar.
# expect states what must hold; without it a refusal skips the test. refusal is what the server said before.
`;

/** The same inputs give the same text; the order is theirs. */
export const writeLearned = (learned: readonly LearnedInput[]): string =>
  head + (learned.length === 0 ? "[]\n" : learned.map(entryText).join("\n"));

const entryText = ({ tool, setup, input, expect, refusal }: LearnedInput): string =>
  stringify([
    {
      tool,
      ...(setup.length === 0 ? {} : { setup: setup.map(callText) }),
      ...(Object.keys(input).length === 0 ? {} : { input }),
      ...(expect === undefined ? {} : { expect }),
      ...(refusal === undefined ? {} : { refusal: oneLine(visibleText(refusal), 200) }),
    },
  ], { lineWidth: 0, aliasDuplicateObjects: false });

const callText = ({ tool, input, capture }: PreparingCall) => ({
  tool,
  ...(Object.keys(input).length === 0 ? {} : { input }),
  ...(Object.keys(capture).length === 0 ? {} : { capture }),
});

/** Inputs without a mistake, and the mistakes of the others. */
export function readLearned(file: string, text: string): { learned: LearnedInput[]; problems: Problem[] } {
  const { documents, problems } = readSource(file, text);
  const learned: LearnedInput[] = [];
  const found: Problem[] = [...problems];
  for (const document of documents) {
    if (!Array.isArray(document.value)) {
      found.push({
        file,
        ...document.place([]),
        message: `expected a list of learned inputs, got ${textExcerpt(document.value, 80)}`,
      });
      continue;
    }
    document.value.forEach((value: unknown, index) => {
      const mistakes = mistakesOf(value).map(({ path, key, message }): Problem => ({
        file,
        ...placeOf(document, [index, ...path], key),
        message,
      }));
      found.push(...mistakes);
      if (mistakes.length === 0) learned.push(readEntry(learnedSchema.parse(value)));
    });
  }
  return { learned, problems: found };
}

const placeOf = (document: SourceDocument, path: Path, key: string | undefined) =>
  key === undefined ? document.place(path) : document.placeOfKey(path, key);

interface Mistake {
  path: Path;
  /** Set where the key itself is wrong. */
  key?: string;
  message: string;
}

const entryKeys = Object.keys(learnedSchema.shape);
const callKeys = Object.keys(learnedCallSchema.shape);
const expectKeys = Object.keys(expectSchema.shape);

function mistakesOf(value: unknown): Mistake[] {
  if (!isObject(value)) {
    return [{ path: [], message: `expected a map with a tool and its input, got ${textExcerpt(value, 80)}` }];
  }
  const issues = learnedSchema.safeParse(value).error?.issues ?? [];
  const shape = issues.flatMap((issue): Mistake[] => {
    const path = issue.path as Path;
    if (issue.code !== "unrecognized_keys") return [{ path, message: issueText(issue, value) }];
    const known = path[0] === "setup" ? callKeys : path.length === 0 ? entryKeys : expectKeys;
    const where = path.length === 0 ? "" : `${pathText(path)}: `;
    return issue.keys.map((key) => ({
      path,
      key,
      message: `${where}unknown key "${key}"${suggestion(key, known)}`,
    }));
  });
  return shape.length > 0 ? shape : brokenRules(value);
}

/** Rules of the steps that an input becomes, at the places where they are written. */
function brokenRules(value: Record<string, unknown>): Mistake[] {
  const { setup = [], refusal: _refusal, ...call } = value;
  const before = setup as unknown[];
  const own = (path: Path): Path => {
    const [, index, ...rest] = path;
    return index === before.length ? rest : ["setup", index!, ...rest];
  };
  return stepRules({ steps: [...before, call] }, "steps").map(({ path, key, message }) => {
    const place = own(path);
    const where = place.length === 0 ? "" : `${pathText(place)}: `;
    return key === undefined
      ? { path: place, message: where + message }
      : { path: place.slice(0, -1), key, message: where + message };
  });
}

function readEntry(
  { tool, setup = [], input = {}, expect, refusal }: z.infer<typeof learnedSchema>,
): LearnedInput {
  return {
    tool,
    setup: setup.map(({ tool, input = {}, capture = {} }) => ({ tool, input, capture })),
    input,
    ...(expect === undefined ? {} : { expect: expect as Record<string, unknown> }),
    ...(refusal === undefined ? {} : { refusal }),
  };
}
