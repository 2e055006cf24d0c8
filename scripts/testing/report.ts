/** Describes test runs for the terminal. */
import { stringify } from "yaml";
import type { ProcessorUse } from "./processor_use.ts";
import type { FileRun } from "./run_batch.ts";

/** Number of lines that are shown of a failed file's stderr. */
const stderrLines = 40;

/** One line for a file, and under it whatever failed or was skipped. */
export function describeFile(run: FileRun): string {
  const mark = run.failed > 0 ? "FAIL" : "ok  ";
  const tests = run.passed + run.failed + run.skipped.length;
  const seconds = (run.durationMs / 1000).toFixed(1);
  const lines = [`${mark} ${run.platform} ${run.file.path} (${tests} tests, ${seconds} s)`];
  for (const skip of run.skipped) lines.push(`     skipped: ${skip.name}: ${skip.reason}`);
  if (run.failed > 0) lines.push(indent(describeFailures(run)));
  return lines.join("\n");
}

function describeFailures(run: FileRun): string {
  const parts = run.failures.map(({ name, details }) =>
    details === undefined ? name : `${name}\n${indent(describeDetails(details))}`
  );
  const stderr = run.stderr.trimEnd().split("\n").slice(-stderrLines).join("\n");
  if (stderr !== "") parts.push(`stderr:\n${indent(stderr)}`);
  return parts.join("\n");
}

/** The place, what was expected and found, and the part of the stack that is ours. */
function describeDetails(details: unknown): string {
  if (typeof details !== "object" || details === null) return String(details);
  const { at, stack, source: _source, ...rest } = details as Record<string, unknown>;
  const place = at as { fileName?: string; lineNumber?: number } | undefined;
  const ours = typeof stack === "string" ? stack.split("\n").filter(isOurs).slice(0, 8).join("\n") : "";
  return [
    ...(place?.fileName === undefined ? [] : [`at ${place.fileName}:${place.lineNumber}`]),
    ...(Object.keys(rest).length === 0 ? [] : [stringify(rest, inWords, { lineWidth: 0 }).trimEnd()]),
    ...(ours === "" ? [] : [ours]),
  ].join("\n");
}

/** YAML knows no functions and no symbols, which an assertion's details may hold. */
const inWords = (_key: unknown, value: unknown): unknown =>
  typeof value === "function" || typeof value === "symbol" ? String(value) : value;

const isOurs = (line: string): boolean => line.trim() !== "" && !/node_modules|ext:|TapWrap/.test(line);

/** Number of the slowest files that are listed. */
const slowest = 20;

/** Lists the slowest files, and the time of each folder. */
export function describeTimes(runs: readonly FileRun[]): string {
  if (runs.length <= slowest) return "";
  const folders = new Map<string, { seconds: number; files: number }>();
  for (const { file, platform, durationMs } of runs) {
    const folder = `${platform} ${
      file.path.split("/").slice(0, 3).join("/").replace(/\/[^/]+_test\.ts$/, "")
    }`;
    const { seconds, files } = folders.get(folder) ?? { seconds: 0, files: 0 };
    folders.set(folder, { seconds: seconds + durationMs / 1000, files: files + 1 });
  }
  const byTime = [...runs].sort((a, b) => b.durationMs - a.durationMs).slice(0, slowest);
  return [
    `Slowest ${slowest} of ${runs.length} files:`,
    ...byTime.map(({ file, platform, durationMs }) => row(durationMs / 1000, `${platform} ${file.path}`)),
    "By folder:",
    ...[...folders].sort(([, a], [, b]) => b.seconds - a.seconds)
      .map(([folder, { seconds, files }]) => row(seconds, `${folder} (${files} files)`)),
  ].join("\n");
}

const row = (seconds: number, text: string): string => `${seconds.toFixed(1).padStart(8)} s  ${text}`;

/** @param tailMs Time at the end in which there was no job left for some of the workers */
export const describeUse = (
  { programs, kernel, idle }: ProcessorUse,
  workers: number,
  tailMs: number,
): string => {
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  const shares = `${percent(programs)} programs, ${percent(kernel)} kernel, ${percent(idle)} idle`;
  return `Processors: ${shares}; fewer than ${workers} jobs for the last ${Math.round(tailMs / 1000)} s`;
};

/** The closing lines; the last is `N passed, N failed` alone, for whoever counts. */
export function describeTotals(runs: readonly FileRun[]): string {
  const sum = (count: (run: FileRun) => number) => runs.reduce((total, run) => total + count(run), 0);
  const lines: string[] = [];
  const broken = runs.filter((run) => run.failed > 0);
  if (broken.length > 0) lines.push("Failed:");
  for (const run of broken) {
    lines.push(`  ${run.platform} ${run.file.path}`, ...run.failures.map(({ name }) => `    ${name}`));
  }
  const flaky = runs.filter((run) => run.firstFailures !== undefined);
  if (flaky.length > 0) lines.push("Flaky (failed beside others, passed when run again alone):");
  for (const run of flaky) {
    lines.push(`  ${run.platform} ${run.file.path}`, ...run.firstFailures!.map(({ name }) => `    ${name}`));
  }
  const skipped = sum((run) => run.skipped.length);
  if (skipped > 0) lines.push(`${skipped} skipped (reasons above)`);
  lines.push(`${sum((run) => run.passed)} passed, ${sum((run) => run.failed)} failed`);
  return lines.join("\n");
}

const indent = (text: string): string => text.replace(/^/gm, "     ");
