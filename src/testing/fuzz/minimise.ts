/** Makes an input that shows a fault as small as it gets: any single part less, and the fault no longer shows. */
import { simplerInputs } from "./simpler_inputs.ts";

type Input = Record<string, unknown>;

export interface Minimising {
  /** Whether the fault shows with this input, on a server that an answer of `true` can be relied on for. */
  shows(input: Input): Promise<boolean>;
  /** Inputs that may be tried; default all. */
  allowed?(input: Input): boolean;
  /** Called before the last pass, which tries everything again. */
  renew?(): Promise<void>;
  mostTries: number;
  /** Time is over: nothing more is tried. */
  isOver(): boolean;
}

export interface Minimised {
  input: Input;
  /** Inputs on the way, the first one first; the last is `input`. */
  chain: Input[];
  tries: number;
  /** Reason why it ended early; absent where nothing simpler shows the fault. */
  bound?: string;
}

/** @throws what `shows` and `renew` throw */
export async function minimise(
  first: Input,
  { shows, allowed = () => true, renew, mostTries, isOver }: Minimising,
): Promise<Minimised> {
  const chain = [first];
  let tries = 0;
  let bound: string | undefined;
  const known = new Set<string>();
  const simplerOne = async (): Promise<Input | undefined> => {
    for (const candidate of simplerInputs(chain.at(-1)!)) {
      const key = JSON.stringify(candidate);
      if (known.has(key) || !allowed(candidate)) continue;
      known.add(key);
      if (tries >= mostTries) bound = `stopped after ${tries} tries`;
      else if (isOver()) bound = `stopped by time after ${tries} tries`;
      if (bound !== undefined) return undefined;
      tries++;
      if (await shows(candidate)) return candidate;
    }
    return undefined;
  };
  for (let isLastPass = renew === undefined;;) {
    const smaller = await simplerOne();
    if (smaller !== undefined) chain.push(smaller);
    else if (isLastPass || bound !== undefined) break;
    else {
      // What did not show it may have met a server that an earlier try had changed.
      isLastPass = true;
      known.clear();
      await renew!();
    }
  }
  return { input: chain.at(-1)!, chain, tries, ...(bound === undefined ? {} : { bound }) };
}
