/** Stuck tests: how soon that is proven with stacks, and how much of a processor watching a silent run takes. */
import { readTextFile } from "../../src/platform/files.ts";
import { runCommand, signalProcess, spawnProcess } from "../../src/platform/process.ts";
import type { SamplerAccess } from "../../src/stuck/sampler_access.ts";
import { hostAccess } from "../../test/support/host_access.ts";
import { watchStuck } from "../../test/support/watch_stuck.ts";
import { median, type Row } from "./table.ts";

const programs = new URL("../../test/integration/host/programs/stuck/", import.meta.url).pathname;
const rounds = 3;
const watchedMs = 10_000;
/** Ticks a second in `/proc/<pid>/stat`. */
const ticks = 100;

export async function measureStuck(): Promise<Row[]> {
  const folder = await Deno.makeTempDir({ prefix: "pth-bench-" });
  try {
    const rows = [await measureVerdict("Python", ["python3", `${programs}dead.py`, "deadlock"])];
    const compile = ["g++", "-g", "-O1", "-pthread", "-o", `${folder}/dead`, `${programs}dead.cpp`];
    const isBuilt = await runCommand(["sh", "-c", "command -v g++ && command -v gdb"]);
    if (isBuilt.code === 0) {
      await runCommand(compile);
      rows.push(await measureVerdict("C++", [`${folder}/dead`, "deadlock"]));
    }
    return [...rows, await measureWatching()];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function measureVerdict(language: string, command: string[]): Promise<Row> {
  const taken: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await withWatched(command, hostAccess, async ({ first }) => {
      const fact = await first("stuck.certain", 30_000);
      if (fact?.type !== "stuck.certain" || fact.figures === undefined) throw new Error("it was not proven");
      taken.push(fact.figures.verdictAfterMs);
    });
  }
  return {
    what: `a deadlock in ${language}: proven with stacks after its first sample`,
    value: median(taken),
    unit: "ms",
    target: "< 1500 ms",
  };
}

/** Forty threads that wait for a time: samples in their usual distance, none of which proves anything. */
async function measureWatching(): Promise<Row> {
  const program = "import threading, time\n" +
    "for _ in range(40): threading.Thread(target=time.sleep, args=(60,)).start()\n";
  let sampler = 0;
  const access: SamplerAccess = {
    ...hostAccess,
    async spawn(argv, options) {
      const child = await hostAccess.spawn(argv, options);
      sampler = child.pid!;
      return child;
    },
  };
  return await withWatched(["python3", "-c", program], access, async () => {
    // Its start is paid once.
    await pause(2000);
    const [before, began] = [await ticksOf(sampler), performance.now()];
    await pause(watchedMs);
    const spent = (await ticksOf(sampler) - before) / ticks * 1000;
    return {
      what: "watching 40 threads that wait: ms of a processor per second",
      value: spent / ((performance.now() - began) / 1000),
      unit: "ms",
      target: "< 10 ms",
    };
  });
}

async function withWatched<T>(
  command: string[],
  access: SamplerAccess,
  use: (watched: ReturnType<typeof watchStuck>) => Promise<T>,
): Promise<T> {
  const child = await spawnProcess(command, { ownGroup: true });
  const watched = watchStuck(child.pid, { access });
  try {
    return await use(watched);
  } finally {
    await watched.stop();
    signalProcess(-child.pid, "SIGKILL");
    await child.exited;
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function ticksOf(pid: number): Promise<number> {
  const text = await readTextFile(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}
