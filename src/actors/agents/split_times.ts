/** Takes the times out of a timeline, which is then the same for two sessions that went the same way. */
import type {
  EntryTime,
  ModelExchange,
  SessionFacts,
  TraceEntry,
} from "../../../machines/model/agent_session.ts";

export interface TimedTimeline {
  timeline: TraceEntry[];
  times: SessionFacts["times"];
}

/**
 * A turn has the times of its request and its answer. A call begins with the answer of its turn and ends at the latest
 * with the next request of its lane, which brings its result.
 */
export function splitTimes(entries: readonly TraceEntry[]): TimedTimeline {
  const times = entries.map((entry): EntryTime | null =>
    entry.type === "turn" && entry.askedAt !== undefined
      ? { at: entry.askedAt, ...(entry.answeredAt === undefined ? {} : { until: entry.answeredAt }) }
      : null
  );
  const next = new Map<string, number>();
  const begun = new Map<string, EntryTime | null>();
  entries.forEach((entry, at) => {
    if (entry.type === "turn") begun.set(entry.lane, times[at]!);
    else if (entry.type === "tool_call") {
      const answered = begun.get(entry.lane)?.until;
      if (answered !== undefined) times[at] = { at: answered };
    }
  });
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at]!;
    const time = times[at];
    if (time === null || time === undefined) continue;
    if (entry.type === "turn") next.set(entry.lane, time.at);
    else if (entry.type === "tool_call") {
      const until = next.get(entry.lane);
      if (until !== undefined) times[at] = { ...time, until };
    }
  }
  return { timeline: entries.map(withoutTimes), times };
}

function withoutTimes(entry: TraceEntry): TraceEntry {
  if (entry.type !== "turn") return entry;
  const { askedAt: _asked, answeredAt: _answered, usage: _usage, ...turn } = entry;
  return turn;
}

/** Tokens of all answers; what is written to a cache or read from it counts as input. */
export function tokensOf(exchanges: readonly Pick<ModelExchange, "usage">[]): SessionFacts["tokens"] {
  const sum = { input: 0, output: 0 };
  for (const { usage = {} } of exchanges) {
    const { input_tokens: input = 0, output_tokens: output = 0 } = usage;
    const { cache_read_tokens: read = 0, cache_write_tokens: written = 0 } = usage;
    sum.input += input + read + written;
    sum.output += output;
  }
  return sum;
}
