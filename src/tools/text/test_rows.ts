/** Tests in words: few of them one by one, many by what they test. */
import type { StepAction, TestCase } from "../../../machines/model/test_case.ts";
import { count, textExcerpt } from "../../core/text.ts";
import { groupBy } from "../../core/values.ts";
import { joinLines, limitedList } from "./join_lines.ts";

/** Tests of which each has a line of its own. */
const fewTests = 25;
const subjectsShown = 25;
const idsShown = 3;

/** Subject of a test: its tool, else what it is. */
export const subjectOf = ({ tool, check, prompt }: TestCase): string =>
  tool ?? (check !== undefined ? "the server" : prompt !== undefined ? "agent-driven" : "scenarios");

export function testRows(tests: readonly TestCase[], detail: boolean | undefined): string[] {
  if (detail) return tests.map(wholeTest);
  if (tests.length <= fewTests) {
    return tests.map(({ id, tier, generatedFrom }) => `- ${id} [tier ${tier}, ${generatedFrom}]`);
  }
  const rows = [...groupBy(tests, subjectOf)].map(([subject, group]) =>
    `- ${subject}, ${group.length}: ${limitedList(group.map(({ id }) => id), idsShown).join(", ")}`
  );
  return [...limitedList(rows, subjectsShown), "All ids: a filter (tool, grep, status …), or detail: true."];
}

/** "12 from schema, 3 from documentation". */
export const signalsText = (counts: Iterable<readonly [string, number]>): string =>
  [...counts].map(([signal, number]) => `${number} from ${signal}`).join(", ");

export const countSignals = (tests: readonly TestCase[]): [string, number][] =>
  [...groupBy(tests, ({ generatedFrom }) => generatedFrom)].map(([signal, { length }]) => [signal, length]);

function wholeTest(test: TestCase): string {
  const { id, name, tier, tool, generatedFrom, origin, tags, file, line, input, steps, prompt, check } = test;
  return joinLines(
    `- ${id}: ${name} [tier ${tier}, ${generatedFrom}${tags.length > 0 ? `; ${tags.join(", ")}` : ""}]`,
    file !== undefined && `    ${file}${line === undefined ? "" : `:${line}`}`,
    origin !== undefined && `    from: ${origin}`,
    check !== undefined && `    check of the server: ${check}`,
    tool !== undefined && `    ${tool} ${textExcerpt(input ?? {}, mostOfValue)}`,
    prompt !== undefined && `    prompt: ${textExcerpt(prompt, mostOfValue)}`,
    ...(steps ?? []).map(({ action, expect }) => `    ${actionText(action)}${expectText(expect)}`),
    Object.keys(test.expect).length > 0 && `   ${expectText(test.expect)}`,
    ...test.verify.map(({ exec, expect }) => `    verify: ${exec}${expectText(expect)}`),
    ...(test.checklist ?? []).map((item) => `    to judge: ${item}`),
  );
}

const mostOfValue = 2_000;

const expectText = (expect: Record<string, unknown>): string =>
  Object.keys(expect).length === 0 ? "" : ` expects ${textExcerpt(expect, mostOfValue)}`;

function actionText(action: StepAction): string {
  if (action.kind === "call") return `${action.tool} ${textExcerpt(action.input, mostOfValue)}`;
  if (action.kind === "get_prompt") {
    return `prompt ${action.prompt} ${textExcerpt(action.arguments, mostOfValue)}`;
  }
  if (action.kind === "wait_for") return `waits for ${action.notification}`;
  return `${action.kind === "subscribe" ? "subscribes to" : "reads"} ${action.uri}`;
}

/** Tools that no test calls, by reason. */
export const excludedToolRows = (heldBack: readonly { tool: string; reason: string }[]): string[] =>
  limitedList(
    [...groupBy(heldBack, ({ reason }) => reason)].map(([reason, group]) =>
      `Excluded, ${reason}: ${limitedList(group.map(({ tool }) => tool), 20).join(", ")}`
    ),
    10,
    `other reasons (${count(heldBack.length, "tool")} in all)`,
  );
