/** Makes a list that shows a fault as short as it gets (delta debugging): without any one element it no longer shows. */
import { withoutParts } from "./simpler_inputs.ts";

export interface Shortening<Item> {
  shows(items: readonly Item[]): Promise<boolean>;
  mostTries: number;
  /** Time is over: nothing more is tried. */
  isOver(): boolean;
}

export interface Shortened<Item> {
  items: readonly Item[];
  tries: number;
  /** Reason why it ended early; absent where no shorter list shows the fault. */
  bound?: string;
}

/**
 * The first list is taken to show the fault, and the empty one not to. Its end is tried first: what a fault needs is mostly
 * not long ago.
 * @throws what `shows` throws
 */
export async function shortenList<Item>(
  first: readonly Item[],
  { shows, mostTries, isOver }: Shortening<Item>,
): Promise<Shortened<Item>> {
  let items = first;
  let tries = 0;
  let bound: string | undefined;
  const tried: (readonly Item[])[] = [];
  const isKnown = (candidate: readonly Item[]) =>
    tried.some((other) =>
      other.length === candidate.length && other.every((item, index) => item === candidate[index])
    );
  const showsNow = async (candidate: readonly Item[]): Promise<boolean> => {
    if (bound !== undefined || candidate.length === 0 || isKnown(candidate)) return false;
    if (tries >= mostTries) bound = `stopped after ${tries} tries`;
    else if (isOver()) bound = `stopped by time after ${tries} tries`;
    if (bound !== undefined) return false;
    tries++;
    tried.push(candidate);
    return await shows(candidate);
  };
  for (let size = 1; size < first.length; size *= 2) {
    const end = first.slice(-size);
    if (!await showsNow(end)) continue;
    items = end;
    break;
  }
  for (let isShorter = true; isShorter && bound === undefined;) {
    isShorter = false;
    for (const candidate of withoutParts(items)) {
      if (!await showsNow(candidate)) continue;
      items = candidate;
      isShorter = true;
      break;
    }
  }
  return { items, tries, ...(bound === undefined ? {} : { bound }) };
}
