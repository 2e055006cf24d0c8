/** Shows that a call is accepted on a new server after the calls that it needs, and finds these. */
import type { LearnedInput } from "../../../machines/model/learned.ts";
import type { FuzzServer } from "../fuzz/fuzz_server.ts";
import { type ExploredCall, neededCalls, planOf } from "./explored_call.ts";
import { toolPhase } from "./tool_phase.ts";
import { hasWord } from "./named_places.ts";
import { tryLearned, type TryOptions } from "./try_learned.ts";

/** Earlier calls that a tool may need without a word of it. */
const mostUnnamed = 12;

/**
 * The calls whose answers it was given and those that its refusals named; where a new server wants more, the earlier
 * calls that it does not accept it without.
 * @throws {PthError} as `tryLearned`
 */
export async function confirmCall(
  call: ExploredCall,
  accepted: readonly ExploredCall[],
  refusal: string | undefined,
  server: FuzzServer,
  options: TryOptions,
): Promise<LearnedInput | { reason: string }> {
  const works = async (setup: readonly ExploredCall[]) => {
    await server.renew();
    return await tryLearned(server, planOf(call, setup), options);
  };
  const earlier = accepted.filter(({ at }) => at < call.at);
  const needed = neededCalls(call, earlier);
  const first = await works(needed);
  if (first.accepted) return planOf(call, needed, refusal);
  const words = refusal ?? first.words;
  const latest = earlier.filter((each, index, all) =>
    !needed.includes(each) && toolPhase(each.tool) !== "end" &&
    all.findLastIndex(({ tool }) => tool === each.tool) === index
  );
  const withNeeds = (calls: readonly ExploredCall[]) => {
    const wanted = new Set([...calls, ...calls.flatMap((each) => neededCalls(each, earlier)), ...needed]);
    return earlier.filter((each) => wanted.has(each));
  };
  const accepts = async (calls: readonly ExploredCall[]) => (await works(withNeeds(calls))).accepted;
  const named = latest.filter(({ tool }) => hasWord(first.words, tool));
  if (named.length > 0 && await accepts(named)) return planOf(call, withNeeds(named), words);
  const unnamed = latest.slice(-mostUnnamed);
  if (unnamed.length === 0 || !await accepts(unnamed)) return { reason: first.words };
  return planOf(call, withNeeds(await fewest(unnamed, accepts)), words);
}

/** Leaves out halves, then quarters and so on, as long as the rest is enough. */
async function fewest(
  calls: readonly ExploredCall[],
  accepts: (calls: readonly ExploredCall[]) => Promise<boolean>,
): Promise<readonly ExploredCall[]> {
  let kept = calls;
  for (let size = Math.ceil(calls.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < kept.length;) {
      const fewer = kept.toSpliced(at, size);
      if (await accepts(fewer)) kept = fewer;
      else at += size;
    }
  }
  return kept;
}
