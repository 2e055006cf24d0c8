/** Errors as tool results: what happened, the raw output, what was tried, what makes sense next. */
import { asPthError, type PthError } from "../core/errors.ts";
import { boundedTail } from "../tools/bounded_tail.ts";
import { visibleText } from "../core/text.ts";
import { nextStepsFor } from "../core/next_step.ts";
import type { AnswerPages } from "./answer_pages.ts";
import { factLines } from "../diagnosis/table.ts";

const section = (title: string, items: readonly string[] | undefined): string[] =>
  items === undefined || items.length === 0 ? [] : [`${title}:`, ...items.map((item) => `- ${item}`)];

/** The end of raw output, where the cause usually stands, and the beginning of each fact; all is kept for whoever asks. */
const outputShown = { lines: 25, characters: 1500 };
const factLinesShown = 8;

function outputAndFacts(error: PthError, pages: Pick<AnswerPages, "keep">): string[] {
  const { output = "" } = error.context;
  const whole = output.trim() === "" ? [] : ["Output:", boundedTail(output, unbounded)];
  const short = whole.length === 0 ? [] : ["Output:", boundedTail(output, outputShown, "")];
  const all = [...whole, ...factLines(error)].join("\n");
  const shown = [...short, ...factLines(error, factLinesShown)];
  if (shown.join("\n") === all) return shown;
  return [...shown, `All of it: pth_get_more({ cursor: "${pages.keep(visibleText(all))}" })`];
}

const unbounded = { lines: Infinity, characters: Infinity };

function deepestStack(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return deepestStack(error.cause) ?? error.stack;
}

interface RenderedError {
  text: string;
  /** Facts for programs. */
  details: Record<string, unknown>;
}

/**
 * Renders any thrown value.
 * @param withStack for those who debug PTH itself (`PTH_DEBUG`)
 */
export function renderToolError(
  thrown: unknown,
  action: string,
  withStack: boolean,
  pages: Pick<AnswerPages, "keep">,
): RenderedError {
  const error = asPthError(thrown, action);
  const { next: ways, ...facts } = error.context;
  const { output, tried } = facts;
  const next = nextStepsFor("mcp", ways);
  const stack = withStack ? deepestStack(error) : undefined;
  const text = [
    `${error.message} [${error.code}]`,
    ...outputAndFacts(error, pages),
    ...section("Tried", tried),
    ...section("Next", next),
    ...(stack ? ["Stack:", stack] : []),
  ].join("\n");
  const details = {
    ...facts,
    ...(next.length === 0 ? {} : { next }),
    code: error.code,
    message: error.message,
    ...(output === undefined ? {} : { output: boundedTail(output, { lines: 80, characters: 10_000 }, "") }),
  };
  return { text: visibleText(text), details };
}
