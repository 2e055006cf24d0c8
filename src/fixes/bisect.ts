/** Fix that broke a test, found by bisection. */

interface Bisected {
  /**
   * The commit from which on it is bad. Several, oldest first, where those between could not be judged; none where the
   * newest commit is good, or where no good one before a bad one was found.
   */
  culprits: string[];
  /** The commit, or base, right before the culprits: it was good there. Absent without culprits, and where no base is known. */
  lastGood?: string;
  /** Every commit that was tried, in order; `good` is undefined where it could not be judged. */
  tried: { commit: string; good: boolean | undefined }[];
  /** Whether the test failed before any of these commits. */
  badBefore: boolean;
  /** Commits from the culprits on, or all where there are none, of which nothing is known, oldest first. */
  untested: string[];
}

interface Options {
  /** Commit before the first fix; without it the state there is taken as good. */
  base?: string;
  signal?: AbortSignal;
  /** The search ends there, with those that are still suspect. */
  mostTries?: number;
}

/** Place of the base among the commits. */
const beforeAll = -1;

/**
 * Looks for the latest change from good to bad. Where the base is good it halves; where it is bad, a commit between may have
 * mended it, and all are tried from the newest back as far as the tries reach.
 * @param commits the fixes, oldest first
 * @param isGood whether the state at a commit is good; undefined if that cannot be decided (it does not build)
 */
export async function bisectFixes(
  commits: readonly string[],
  isGood: (commit: string) => Promise<boolean | undefined>,
  { base, signal, mostTries = Infinity }: Options = {},
): Promise<Bisected> {
  const known = new Map<number, boolean | undefined>();
  const tried: Bisected["tried"] = [];
  const isOver = () => tried.length >= mostTries;
  const judge = async (place: number) => {
    signal?.throwIfAborted();
    const commit = place === beforeAll ? base! : commits[place]!;
    const good = await isGood(commit);
    tried.push({ commit, good });
    known.set(place, good);
    return good;
  };
  const newest = commits.length - 1;
  const end = (culprits: readonly [number, number] | undefined): Bisected => {
    const good = culprits === undefined ? undefined : culprits[0] - 1;
    const lastGood = good === undefined ? undefined : good === beforeAll ? base : commits[good];
    return {
      culprits: culprits === undefined ? [] : commits.slice(culprits[0], culprits[1] + 1),
      ...(lastGood === undefined ? {} : { lastGood }),
      tried,
      badBefore: known.get(beforeAll) === false,
      untested: commits.filter((_, place) => place >= (culprits?.[0] ?? 0) && known.get(place) === undefined),
    };
  };

  if (newest < 0 || await judge(newest) === true) return { ...end(undefined), untested: [] };
  let good = base === undefined || await judge(beforeAll) === true ? beforeAll : undefined;
  for (const place of goodBefore(newest, mostTries)) {
    if (good !== undefined || isOver()) break;
    if (await judge(place) === true) good = place;
  }
  if (good === undefined) return end(undefined);

  for (let latest: number = good;;) {
    const bad = firstBad(known, latest, newest);
    const next = isOver() ? undefined : middleOf(latest + 1, bad, known);
    if (next === undefined) return end([latest + 1, bad]);
    if (await judge(next) === true) latest = next;
  }
}

/** Places to look for a good one at: each from the newest back, or where there are too many, farther and farther apart. */
function* goodBefore(newest: number, mostTries: number): Generator<number> {
  const tries = mostTries - 2;
  for (let step = 1, place = newest - 1; place >= 0; place -= step) {
    yield place;
    if (newest > tries) step *= 2;
  }
}

/** The nearest one behind a good one that is known as bad; the newest was tried, and is at least not known as good. */
function firstBad(known: ReadonlyMap<number, boolean | undefined>, good: number, newest: number): number {
  for (let place = good + 1; place < newest; place++) if (known.get(place) === false) return place;
  return newest;
}

/** The commit nearest to the middle that is still worth a try. */
function middleOf(
  from: number,
  to: number,
  known: ReadonlyMap<number, boolean | undefined>,
): number | undefined {
  const middle = Math.floor((from + to - 1) / 2);
  const open = Array.from({ length: to - from }, (_, index) => from + index)
    .filter((index) => !known.has(index));
  return open.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0];
}
