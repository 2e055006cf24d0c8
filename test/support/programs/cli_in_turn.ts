/**
 * The CLI in one process, for each line of its input: `{ args, env, mark }`. Behind the output of each stands its mark, on both
 * streams; on stdout with the exit code. The peak of memory begins anew each time.
 */
import { writeFileSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";
import { runCli } from "../../../src/cli/main.ts";
import { processContext } from "../../../src/cli/process_context.ts";
import { flushOutputs } from "../../../src/platform/terminal.ts";
import type { CliTurn } from "../cli_turns.ts";

const context = processContext();
const inherited = { ...process.env };
for await (const line of createInterface({ input: process.stdin })) {
  const { args, env, mark } = JSON.parse(line) as CliTurn;
  for (const name of Object.keys(process.env)) if (!(name in inherited)) delete process.env[name];
  Object.assign(process.env, inherited, env);
  (globalThis as unknown as { gc(): void }).gc();
  writeFileSync("/proc/self/clear_refs", "5");
  const code = await runCli(args, context);
  context.stdout.write(`${mark} ${code}\n`);
  context.stderr.write(`${mark}\n`);
  await flushOutputs();
}
process.exit();
