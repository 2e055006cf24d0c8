/** Measures a server's memory over many calls of one tool, with inputs that it accepts. */
import type { FuzzFind } from "../../../machines/model/fuzz.ts";
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import type { FuzzInput } from "./arbitraries/inputs.ts";
import type { FuzzServer } from "./fuzz_server.ts";
import type { MemorySample } from "./oracle.ts";
import { registry as oracles } from "./oracles/_registry.ts";

interface Measuring {
  limitMs: number;
  seed: number;
  /** Milliseconds on the clock of the server after which it is given up. */
  until: number;
}

/** @throws {PthError} as `FuzzServer.call` */
export async function memoryFind(
  tool: ToolDefinition,
  answered: readonly FuzzInput[],
  server: FuzzServer,
  { limitMs, seed, until }: Measuring,
): Promise<FuzzFind | undefined> {
  const [first] = answered;
  if (first === undefined || server.now() > until) return undefined;
  const samples = await measureMemory(tool, answered, server, limitMs, until);
  for (const oracle of oracles) {
    const complaint = oracle.judgeMemory?.(samples);
    if (complaint === undefined) continue;
    return {
      tool: tool.name,
      oracle: oracle.name,
      severity: oracle.severity,
      ...complaint,
      ...{ original: first.input, input: first.input, shrinks: 0, shrinkMs: 0, confirmed: true },
      ...{ seed, path: "" },
    };
  }
  return undefined;
}

const warmUp = 150;
const rows = 8;
const row = 50;
/** A tool too slow for that many calls in this time is not measured; the warm-up tells whether it is. */
const mostMs = 20_000;
const mostWarmUpMs = mostMs * warmUp / (warmUp + rows * row);

/** Samples, the first one after the warm-up; too few to judge where the tool is slow or an answer fails to come. */
async function measureMemory(
  tool: ToolDefinition,
  inputs: readonly FuzzInput[],
  server: FuzzServer,
  limitMs: number,
  until: number,
): Promise<MemorySample[]> {
  const started = server.now();
  const end = Math.min(until, started + mostMs);
  const samples: MemorySample[] = [];
  let calls = 0;
  const answers = async (wanted: number): Promise<boolean> => {
    for (; calls < wanted; calls++) {
      if (server.now() > (calls < warmUp ? Math.min(end, started + mostWarmUpMs) : end)) return false;
      const { input, breach } = inputs[calls % inputs.length]!;
      const { outcome } = await server.call({ tool, input, valid: breach === undefined, limitMs });
      if (outcome === undefined) return false;
    }
    return true;
  };
  for (let number = 0; number <= rows; number++) {
    if (!await answers(warmUp + number * row)) return samples;
    const megabytes = await server.megabytes();
    if (megabytes === undefined) return samples;
    samples.push({ calls, megabytes });
  }
  return samples;
}
