/** Errors as tool results: what happened, the raw output, what was tried, what makes sense next (PTH design §5.7). */
import { asPthError, type PthError } from "../errors.ts";
import { factLines } from "../recovery/fact_lines.ts";
import { tail } from "../tools/tail.ts";
import { visible } from "../visible.ts";

const section = (title: string, items: readonly string[] | undefined): string[] =>
  items === undefined || items.length === 0 ? [] : [`${title}:`, ...items.map((item) => `- ${item}`)];

/** Options can be given on the command line only. */
const isForTerminals = /^(--|On the command line)/;

function errorText(error: PthError, output: string | undefined, stack: string | undefined): string {
  const { tried } = error.context;
  const next = error.context.next?.filter((way) => !isForTerminals.test(way));
  return [
    `${error.message} [${error.code}]`,
    ...(output ? ["Output:", output] : []),
    ...factLines(error),
    ...section("Tried", tried),
    ...section("Next", next),
    ...(stack ? ["Stack:", stack] : []),
  ].join("\n");
}

function deepestStack(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return deepestStack(error.cause) ?? error.stack;
}

export interface RenderedError {
  text: string;
  /** For programs. */
  details: Record<string, unknown>;
}

/**
 * Renders any thrown value.
 * @param withStack for those who debug PTH itself (`PTH_DEBUG`)
 */
export function renderError(thrown: unknown, action: string, withStack: boolean): RenderedError {
  const error = asPthError(thrown, action);
  const { output, ...facts } = error.context;
  const shown = output === undefined ? undefined : tail(output, { lines: 80, characters: 10_000 }, "");
  const stack = withStack ? deepestStack(error) : undefined;
  const details = { ...facts, code: error.code, message: error.message, ...(shown ? { output: shown } : {}) };
  return { text: visible(errorText(error, shown, stack)), details };
}
