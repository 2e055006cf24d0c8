/** The server's memory over many calls of one tool: warm-up first, then rows of calls with a look after each. */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import type { FuzzInput } from "./arbitraries/inputs.ts";
import type { FuzzServer } from "./fuzz_server.ts";
import type { MemorySample } from "./oracle.ts";

const warmUp = 150;
const rows = 8;
const row = 50;
/** A tool too slow for that many calls in this time is not measured. */
const mostMs = 6_000;

/** Samples, the first one after the warm-up; too few to judge where the tool is slow or an answer fails to come. */
export async function measureMemory(
  tool: ToolDefinition,
  inputs: readonly FuzzInput[],
  server: FuzzServer,
  limitMs: number,
): Promise<MemorySample[]> {
  const end = performance.now() + mostMs;
  const samples: MemorySample[] = [];
  let calls = 0;
  const answers = async (wanted: number): Promise<boolean> => {
    for (; calls < wanted; calls++) {
      if (performance.now() > end) return false;
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
