/** The calls that made a tool accept an input, as they are kept. */
import type { PreparingCall } from "../../../machines/model/fuzz.ts";
import type { LearnedInput } from "../../../machines/model/learned.ts";
import { escapeStepInput } from "../format/interpolate.ts";
import type { Attempt } from "./attempt.ts";
import { withValueAt } from "./input_places.ts";
import { type AcceptedCall, type KnownValue, singular, subjectsOf } from "./known_values.ts";

/** An accepted call with all that led to it. */
export interface ExploredCall extends AcceptedCall {
  attempt: Attempt;
  /** Calls that were made before because it asked for them. */
  before: readonly ExploredCall[];
}

/** Calls that one needs, in their order: those that it asked for, and those whose answers it was given. */
export function neededCalls(call: ExploredCall, all: readonly ExploredCall[]): ExploredCall[] {
  const needed = new Set<number>();
  const visit = ({ attempt, before }: ExploredCall) => {
    for (const { at } of [...before, ...attempt.feeds.map(({ value }) => value.from)]) {
      const found = all.find((each) => each.at === at);
      if (needed.has(at) || found === undefined || at === call.at) continue;
      needed.add(at);
      visit(found);
    }
  };
  visit(call);
  return all.filter(({ at }) => needed.has(at));
}

/** Writes a call after others: what their answers give becomes a variable. */
export function planOf(call: ExploredCall, setup: readonly ExploredCall[], refusal?: string): LearnedInput {
  const names = variableNames([...setup, call]);
  const written = (each: ExploredCall) => inputOf(each, names);
  return {
    tool: call.tool,
    setup: setup.map((each): PreparingCall => ({
      tool: each.tool,
      input: written(each),
      capture: Object.fromEntries(
        [...names].filter(([key]) => key.startsWith(`${each.at} `))
          .map(([key, name]) => [name, key.slice(key.indexOf(" ") + 1)]),
      ),
    })),
    input: written(call),
    ...(refusal === undefined ? {} : { refusal }),
  };
}

const keyOf = ({ from, capture }: KnownValue): string => `${from.at} ${capture}`;

/** A name for each value that a call is given by an answer: `task_id`. */
function variableNames(calls: readonly ExploredCall[]): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const { value } of calls.flatMap(({ attempt }) => attempt.feeds)) {
    if (value.capture === undefined || names.has(keyOf(value))) continue;
    const above = value.parents.length > 0 ? value.parents.map(singular) : subjectsOf(value.from.tool);
    const about = value.key.length > 1 ? value.key : [...above.slice(-1), ...value.key];
    const plain = about.join("_").replace(/[^A-Za-z0-9_]/g, "").slice(0, 40).replace(/^(?=\d|$)/, "value");
    let name = plain;
    for (let number = 2; taken.has(name); number++) name = `${plain}_${number}`;
    taken.add(name);
    names.set(keyOf(value), name);
  }
  return names;
}

function inputOf({ attempt: { input, feeds } }: ExploredCall, names: ReadonlyMap<string, string>) {
  return feeds.reduce((made, { path, value }) => {
    const name = value.capture === undefined ? undefined : names.get(keyOf(value));
    return name === undefined ? made : withValueAt(made, path, `$${name}`);
  }, escapeStepInput(input));
}
