/** One tool under rapid calls: many in flight on one connection, for a bounded time. */
import type { Measurement, ToolPerformance } from "../../machines/model/performance.ts";
import { oneLine } from "../core/text.ts";
import type { Benchmark } from "./measure_response.ts";
import { percentilesOf, roundToThousandth } from "./percentiles.ts";

const inFlight = 8;
/** Milliseconds in which calls are begun, and most of them: a fast tool shows its rate within few. */
const rushMs = 500;
const mostCalls = 400;
/** The last ones may take as long again. */
const patienceMs = 15_000;

/** @throws what the server is lost with; the signal's reason */
export async function measureThroughput(
  tool: string,
  input: Record<string, unknown>,
  { call, now, signal }: Pick<Benchmark, "call" | "now" | "signal">,
): Promise<Measurement> {
  const times: number[] = [];
  const started = now();
  let begun = 0;
  let errors = 0;
  let firstRefusal = "";
  const limited = AbortSignal.any([signal, AbortSignal.timeout(rushMs + patienceMs)]);
  const work = async () => {
    while (begun < mostCalls && now() - started < rushMs) {
      begun++;
      const from = now();
      const { isError, text } = await call(tool, input, limited);
      times.push(now() - from);
      if (isError && errors++ === 0) firstRefusal = oneLine(text);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: inFlight }, work));
  signal.throwIfAborted();
  const failed = ended.find((end) => end.status === "rejected");
  if (failed && !limited.aborted) throw failed.reason;
  const seconds = (now() - started) / 1000;
  const throughput: ToolPerformance["throughput"] = {
    callsPerSecond: roundToThousandth(times.length / seconds),
    responseMs: percentilesOf(times),
    inFlight,
  };
  const notes = [
    ...(errors > 0
      ? [
        `${tool} refused ${errors} of ${times.length} calls that it accepts one by one, while calls were rapid: ${firstRefusal}`,
      ]
      : []),
    ...(failed
      ? [`${tool} left ${begun - times.length} rapid calls without an answer for ${patienceMs / 1000} s`]
      : []),
  ];
  return { tool, input, measured: { throughput }, notes };
}
