/** Which fix broke what worked before it (PTH design §5.5), with as few tries as there need be. */

export interface Bisected {
  /**
   * The commit from which on it is bad. Several, oldest first, where those between could not be judged; none where the
   * newest commit is good, or where it was bad before the first.
   */
  culprits: string[];
  /** Every commit that was tried, in order; `good` is undefined where it could not be judged. */
  tried: { commit: string; good: boolean | undefined }[];
  /** It was bad before any of these commits. */
  badBefore: boolean;
}

/**
 * @param commits the fixes, oldest first
 * @param isGood whether the state at a commit is good; undefined when that cannot be told (it does not build)
 * @param options.mostTries the search ends there, with those that are still suspect
 * @param options.base commit before the first fix; with it, "broken before" is found out, else the base is taken as good
 */
export async function bisectFixes(
  commits: readonly string[],
  isGood: (commit: string) => Promise<boolean | undefined>,
  { base, signal, mostTries = Infinity }: { base?: string; signal?: AbortSignal; mostTries?: number } = {},
): Promise<Bisected> {
  const tried: Bisected["tried"] = [];
  const judge = async (commit: string) => {
    signal?.throwIfAborted();
    const good = await isGood(commit);
    tried.push({ commit, good });
    return good;
  };
  const newest = commits.at(-1);
  if (newest === undefined || await judge(newest) === true) return { culprits: [], tried, badBefore: false };
  if (base !== undefined && await judge(base) === false) return { culprits: [], tried, badBefore: true };
  // The culprit is in commits[from..to]; what lies before is good, commits[to] is bad.
  let from = 0;
  let to = commits.length - 1;
  const unknown = new Set<number>();
  for (;;) {
    const next = tried.length < mostTries ? middleOf(from, to, unknown) : undefined;
    if (next === undefined) return { culprits: commits.slice(from, to + 1), tried, badBefore: false };
    const good = await judge(commits[next]!);
    if (good === undefined) unknown.add(next);
    else if (good) from = next + 1;
    else to = next;
  }
}

/** The commit nearest to the middle that is still worth a try. */
function middleOf(from: number, to: number, unknown: ReadonlySet<number>): number | undefined {
  const middle = Math.floor((from + to - 1) / 2);
  const open = Array.from({ length: to - from }, (_, index) => from + index)
    .filter((index) => !unknown.has(index));
  return open.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0];
}
