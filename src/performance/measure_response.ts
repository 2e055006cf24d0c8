/** One tool, one call after the other: how long, how large, what it used. */
import { Buffer } from "node:buffer";
import type { Measurement, PlannedMeasurement, ToolPerformance } from "../../machines/model/performance.ts";
import type { CallOutcome } from "../../machines/model/plugin.ts";
import type { SeenAnswer } from "../contract/measure_token_cost.ts";
import { asPthError } from "../core/errors.ts";
import type { Gauge, ServerUsage } from "./gauge.ts";
import { percentilesOf } from "./percentiles.ts";
import { roundToThousandth } from "../core/values.ts";
import { type FileStamp, sideEffects } from "./side_effects.ts";
import { firstLine, oneLine } from "../core/text.ts";

/** Dependencies of a measurement. */
export interface Benchmark {
  /** @throws {PthError} `SERVER_LOST`; the signal's reason */
  call(tool: string, input: Record<string, unknown>, signal: AbortSignal): Promise<CallOutcome>;
  gauge: Gauge | undefined;
  /** Files in the plugin's folder and the temporary one; undefined where they cannot be compared. */
  listFiles(): Promise<Map<string, FileStamp> | undefined>;
  /** The plugin's, inside. */
  folder: string;
  now(): number;
  signal: AbortSignal;
  /** Hears each accepted answer. */
  seen(answer: SeenAnswer): void;
}

/** Milliseconds: of one call, and of all calls of one tool; a slow tool gets fewer calls. */
const callMs = 15_000;
const toolMs = 10_000;
/** Calls whose files are compared: each file counts once however often it is written. */
const fileCalls = 1;

/** @throws what the server is lost with; the signal's reason */
export async function measureResponse(planned: PlannedMeasurement, bench: Benchmark): Promise<Measurement> {
  const { tool, calls } = planned;
  const accepted = await firstAccepted(planned, bench);
  if ("reason" in accepted) return { tool, reason: accepted.reason };
  const { input } = accepted;
  const effects = await effectsOf(tool, input, bench);
  await bench.gauge?.restart();
  const before = await bench.gauge?.read();
  const row = await callInRow(tool, input, calls, bench);
  const after = await bench.gauge?.read();
  const measured: Partial<ToolPerformance> = {
    responseMs: percentilesOf(row.times),
    errors: row.errors,
    answerBytes: percentilesOf(row.sizes),
    ...(effects === undefined ? {} : { sideEffects: effects }),
    ...(before && after ? usageBetween(before, after, row.times.length) : {}),
  };
  const notes = row.times.length < calls
    ? [
      `${tool} was called ${row.times.length} times only: ${calls} calls would have taken over ${
        toolMs / 1000
      } s`,
    ]
    : [];
  return { tool, input, measured, notes };
}

async function firstAccepted(
  { tool, inputs }: PlannedMeasurement,
  bench: Benchmark,
): Promise<{ input: Record<string, unknown> } | { reason: string }> {
  let refusal = "no input could be made from its schema";
  for (const input of inputs) {
    const outcome = await callOnce(tool, input, bench);
    if (outcome !== undefined && !outcome.isError) return { input };
    refusal = outcome === undefined
      ? `no answer within ${callMs / 1000} s`
      : `it refuses what it was given: ${firstLine(outcome.text, 200)}`;
    if (outcome === undefined) break;
  }
  return { reason: refusal };
}

/** Undefined without an answer in time. */
async function callOnce(
  tool: string,
  input: Record<string, unknown>,
  { call, signal }: Benchmark,
): Promise<CallOutcome | undefined> {
  const limit = AbortSignal.timeout(callMs);
  try {
    return await call(tool, input, AbortSignal.any([signal, limit]));
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted && asPthError(error).code !== "SERVER_LOST") return undefined;
    throw error;
  }
}

async function callInRow(tool: string, input: Record<string, unknown>, calls: number, bench: Benchmark) {
  const row = { times: [] as number[], sizes: [] as number[], errors: 0 };
  const end = bench.now() + toolMs;
  for (let call = 0; call < calls && (call === 0 || bench.now() < end); call++) {
    const started = bench.now();
    const outcome = await callOnce(tool, input, bench);
    row.times.push(bench.now() - started);
    if (outcome === undefined || outcome.isError) row.errors++;
    if (outcome === undefined) break;
    row.sizes.push(Buffer.byteLength(JSON.stringify(outcome.raw)));
    if (!outcome.isError) bench.seen({ tool, text: outcome.text });
  }
  return row;
}

async function effectsOf(tool: string, input: Record<string, unknown>, bench: Benchmark) {
  const before = await bench.listFiles();
  if (before === undefined) return undefined;
  for (let call = 0; call < fileCalls; call++) await callOnce(tool, input, bench);
  const after = await bench.listFiles();
  return after && sideEffects(before, after, fileCalls, bench.folder);
}

function usageBetween(before: ServerUsage, after: ServerUsage, calls: number): Partial<ToolPerformance> {
  const grown = (key: keyof ServerUsage): number | undefined => {
    const [old, now] = [before[key], after[key]];
    return old === undefined || now === undefined ? undefined : Math.max(0, now - old);
  };
  const [cpu, memory, read, written] = (["cpuMs", "memoryBytes", "readBytes", "writtenBytes"] as const).map(
    grown,
  );
  return {
    ...(cpu === undefined ? {} : { cpuMsPerCall: roundToThousandth(cpu / calls) }),
    ...(memory === undefined ? {} : { memoryGrowthBytes: memory }),
    ...(after.peakBytes === undefined ? {} : { memoryPeakBytes: after.peakBytes }),
    ...(after.peakBytes === undefined || before.memoryBytes === undefined
      ? {}
      : { memoryPeakGrowthBytes: Math.max(0, after.peakBytes - before.memoryBytes) }),
    ...(read === undefined ? {} : { diskReadBytes: Math.round(read / calls) }),
    ...(written === undefined ? {} : { diskWrittenBytes: Math.round(written / calls) }),
  };
}

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
