/** Searches an input that a tool accepts: each refusal is read, and what repairs it is tried next. */
import { oneLine } from "../../core/text.ts";
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { type Attempt, attemptKey, plainAttempt } from "./attempt.ts";
import type { CalledTool } from "./called_tool.ts";
import { inputPlaces } from "./input_places.ts";
import type { KnownValues } from "./known_values.ts";
import type { RefusedCall } from "./repair.ts";
import { registry } from "./repairs/_registry.ts";
import type { StartingInputs } from "./starting_inputs.ts";

export interface SearchHost {
  tools: readonly ToolDefinition[];
  values: KnownValues;
  folder: string | undefined;
  /** Whether the example pages are served. */
  page: boolean;
  /** Calls those that come first, then the tool; undefined where no more calls may be made. */
  call(inputs: StartingInputs, attempt: Attempt): Promise<CalledTool | undefined>;
}

export interface SearchResult {
  /** The attempt that was accepted. */
  accepted?: Attempt;
  /** Words of the first refusal, and of the last one with its input. */
  first?: string;
  last?: { words: string; input: Record<string, unknown> };
}

/** Calls of one tool in one search. */
const mostCalls = 16;
/** Attempts that one refusal gives. */
const mostRepairs = 24;
/** Calls that may cost the server before the tool is left alone. */
const mostUnanswered = 2;

const repairs = [...registry].sort((a, b) => a.rank - b.rank);

/** The same answers lead to the same calls. @throws {PthError} as `call` */
export async function searchInput(inputs: StartingInputs, host: SearchHost): Promise<SearchResult> {
  const result: SearchResult = {};
  const seen = new Set<string>();
  const heard = new Set<string>();
  let queue: Attempt[] = [plainAttempt(inputs.first)];
  let unanswered = 0;
  for (let calls = 0; calls < mostCalls;) {
    const [attempt, ...rest] = queue;
    if (attempt === undefined) break;
    queue = rest;
    const key = attemptKey(attempt);
    if (seen.has(key) || !inputs.isValid(attempt.input)) continue;
    seen.add(key);
    calls++;
    const called = await host.call(inputs, attempt);
    if (called === undefined) break;
    if (called.accepted) return { ...result, accepted: attempt };
    const { words } = called;
    result.first ??= oneLine(words, 300);
    result.last = { words: oneLine(words, 300), input: attempt.input };
    if (called.unanswered && ++unanswered >= mostUnanswered) break;
    // Words that were read before lead nowhere new.
    const said = withoutValues(words, attempt);
    if (called.unanswered || heard.has(said)) continue;
    heard.add(said);
    queue = [...repaired(inputs, attempt, words, host), ...queue];
  }
  return result;
}

function repaired(
  { tool, schema, full, others }: StartingInputs,
  attempt: Attempt,
  words: string,
  { tools, values, folder, page }: SearchHost,
): Attempt[] {
  const places = inputPlaces(attempt.input);
  const call: RefusedCall = {
    tool,
    schema,
    attempt,
    places,
    words,
    full,
    others,
    tools,
    values,
    folder,
    page,
  };
  return repairs.flatMap(({ repair }) => repair(call)).slice(0, mostRepairs);
}

/** The words alone: a refusal that quotes another value is the same one. */
function withoutValues(words: string, { input }: Attempt): string {
  const values = inputPlaces(input).map(({ value }) => String(value)).filter((value) => value.length > 1);
  return values.reduce((text, value) => text.replaceAll(value, "…"), words).replace(/\d+/g, "0").slice(
    0,
    500,
  );
}
