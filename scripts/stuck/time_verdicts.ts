/** Times the verdicts on programs that are stuck, in each language that this machine has. */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { runCommand, signalProcess } from "../../src/platform/process.ts";
import {
  type PlantedProgram,
  plantedPrograms,
} from "../../test/integration/host/programs/stuck/planted_programs.ts";
import { watchStuck } from "../../test/support/watch_stuck.ts";

/** In ms. */
const longestWait = 30_000;
const goal = 1500;
const repetitions = 3;

async function timeOne({ language, run }: PlantedProgram, part: string, folder: string) {
  const words = [...run(folder), part];
  const child = spawn(words[0]!, words.slice(1), { stdio: ["pipe", "ignore", "pipe"], detached: true });
  let said = "";
  child.stderr.on("data", (bytes) => said += bytes);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const command = { printed: () => said, endsNow: () => {} };
  const runner = language === "Rust" ? { runner: "libtest" as const } : {};
  const watched = watchStuck(child.pid!, { command, ...runner });
  const fact = await watched.first("stuck.certain", longestWait);
  await watched.stop();
  signalProcess(-child.pid!, "SIGKILL");
  await ended;
  return fact?.type === "stuck.certain" ? fact : undefined;
}

async function timeProgram(program: PlantedProgram, folder: string): Promise<void> {
  if (program.make !== undefined) {
    const { code, stderr } = await runCommand(program.make(folder));
    if (code !== 0) throw new Error(`${program.language}: ${stderr}`);
  }
  for (const part of ["deadlock", "endless"]) {
    if (part === "endless" && program.loop === "suspected") continue;
    for (let at = 0; at < repetitions; at++) {
      const fact = await timeOne(program, part, folder);
      if (fact === undefined) {
        console.log(`${program.language} | ${part} | no verdict within ${longestWait} ms`);
        process.exitCode = 1;
        continue;
      }
      const { judgement: { kind }, stacks, figures } = fact;
      const { provenAfterMs, verdictAfterMs, samplerSpentMs, samplerAliveMs } = figures!;
      const late = verdictAfterMs > goal ? " | late" : "";
      const numbers = [provenAfterMs, stacks.tookMs!, verdictAfterMs, samplerSpentMs, samplerAliveMs];
      console.log([program.language, kind, stacks.method, ...numbers.map(Math.round)].join(" | ") + late);
    }
  }
}

/** Prints a line for each verdict. */
export async function timeVerdicts(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "pth-stuck-"));
  console.log(
    "language | kind | stacks by | proven after | stacks took | verdict after | sampler spent | of (ms)",
  );
  try {
    for (const program of plantedPrograms) {
      const { code } = await runCommand(["sh", "-c", 'command -v "$1"', "sh", program.needs]);
      if (code === 0) await timeProgram(program, folder);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
