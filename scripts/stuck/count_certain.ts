/** Watches programs that are slow and not stuck, by the real detector, until it has taken so many samples of them all. */
import { spawn } from "node:child_process";
import { PassThrough } from "node:stream";
import process from "node:process";
import { signalProcess } from "../../src/platform/process.ts";
import type { SamplerAccess } from "../../src/stuck/sampler_access.ts";
import { slowPrograms } from "../../test/integration/host/programs/stuck/slow_programs.ts";
import { hostAccess } from "../../test/support/host_access.ts";
import { watchStuck } from "../../test/support/watch_stuck.ts";

/** The detector's pauses are shorter by this, so that more samples fit into a minute. */
const haste = 4;
/** Programs at the same time, as each takes its part of the processors. */
const together = 5;

interface Tally {
  samples: number;
  certain: string[];
  suspected: number;
  notWatched: string[];
}

/** Counts answers of the sampler, of which the first is none. */
function counting(tally: Tally): SamplerAccess {
  return {
    ...hostAccess,
    async spawn(argv, options) {
      const child = await hostAccess.spawn(argv, options);
      const stdout = new PassThrough();
      tally.samples--;
      child.stdout.on("data", (bytes: Uint8Array) => {
        for (const byte of bytes) if (byte === 10) tally.samples++;
      });
      child.stdout.pipe(stdout);
      return { ...child, stdout };
    },
  };
}

const clock = {
  setTimeout: (run: () => void, ms: number) => setTimeout(run, ms / haste),
  clearTimeout: (timer: ReturnType<typeof setTimeout>) => clearTimeout(timer),
};

/** Leaders of the groups of programs that run. */
const running = new Set<number>();

for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
  process.once(signal, () => {
    for (const pid of running) signalProcess(-pid, "SIGKILL");
    process.exit(code);
  });
}

async function watchUntil(words: string[], wanted: number): Promise<Tally> {
  const tally: Tally = { samples: 0, certain: [], suspected: 0, notWatched: [] };
  while (tally.samples < wanted) {
    const child = spawn(words[0]!, words.slice(1), { stdio: ["pipe", "ignore", "ignore"], detached: true });
    running.add(child.pid!);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    // Near a limit, what wakes behind it would be certain to miss it.
    const watched = watchStuck(child.pid!, { access: counting(tally), clock, budgetMs: 3_600_000 });
    while (tally.samples < wanted && child.exitCode === null && child.signalCode === null) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      if (watched.facts.some(({ type }) => type === "stuck.certain" || type === "stuck.not_watched")) break;
    }
    await watched.stop();
    signalProcess(-child.pid!, "SIGKILL");
    await ended;
    running.delete(child.pid!);
    for (const fact of watched.facts) {
      if (fact.type === "stuck.certain") tally.certain.push(JSON.stringify(fact.judgement));
      if (fact.type === "stuck.suspected") tally.suspected++;
      if (fact.type === "stuck.not_watched") tally.notWatched.push(fact.reason);
    }
    if (tally.notWatched.length > 0) break;
  }
  return tally;
}

/** Prints how many samples of each program were taken, and every judgement that was certain; one makes the exit code 1. */
export async function countCertain(samples: number): Promise<void> {
  const programs = Object.entries(slowPrograms);
  const each = Math.ceil(samples / programs.length);
  const began = performance.now();
  let total = 0, certain = 0;
  const todo = [...programs];
  await Promise.all(Array.from({ length: together }, async () => {
    for (let next = todo.shift(); next !== undefined; next = todo.shift()) {
      const [name, words] = next;
      const tally = await watchUntil(words, each);
      total += tally.samples;
      certain += tally.certain.length;
      console.log(
        `${name}: ${tally.samples} samples, ${tally.certain.length} certain, ${tally.suspected} suspected`,
      );
      for (const line of [...tally.certain, ...tally.notWatched]) console.log(`  ${line}`);
    }
  }));
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`${programs.length} programs: ${total} samples, ${certain} certain, in ${seconds} s`);
  if (certain > 0 || total < samples) process.exitCode = 1;
}
