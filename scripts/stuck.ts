/**
 * `deno task stuck`: figures of the detector of stuck tests, on this machine. `samples [number]` counts the judgements of
 * programs that are slow and not stuck; `verdicts` times those of programs that are.
 */
import process from "node:process";
import { countCertain } from "./stuck/count_certain.ts";
import { timeVerdicts } from "./stuck/time_verdicts.ts";

const [part, number = "10000"] = process.argv.slice(2);
if (part === "samples" && Number(number) > 0) await countCertain(Number(number));
else if (part === "verdicts") await timeVerdicts();
else {
  console.error("Usage: deno task stuck samples [number] | verdicts");
  process.exitCode = 2;
}
