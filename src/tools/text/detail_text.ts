/** Detail on request for models. */
import type {
  BuildDetail,
  Detail,
  DetailKind,
  DiffDetail,
  ExchangeDetail,
  McpCall,
  ResourcesDetail,
  StderrDetail,
} from "../../../machines/model/detail.ts";
import { fixRow } from "./fix_text.ts";
import { boundedTail, sectionHead, type TailLimits } from "../bounded_tail.ts";
import { duration, joinLines, limitedList } from "./join_lines.ts";
import { count } from "../../core/text.ts";

export const detailKinds = [
  "exchange",
  "stderr",
  "diff",
  "build",
  "resources",
] as const satisfies readonly DetailKind[];

/** Characters of one text: a build's output may be 16 MiB. */
const mostGiven = 200_000;

/** Returns it as structured content, within bounds. */
export function detailData(detail: Detail): Detail {
  if (detail.kind === "diff") return { ...detail, diff: sectionHead(detail.diff, mostGiven) };
  if (detail.kind !== "build") return detail;
  return { ...detail, output: boundedTail(detail.output, { lines: 20_000, characters: mostGiven }, "") };
}

interface Limits {
  /** Characters of a message. */
  message: number;
  /** Characters of a text whose beginning counts. */
  text: number;
  /** Limits of output, whose end counts. */
  output: TailLimits;
  processes: number;
}

const usual: Limits = {
  message: 1200,
  text: 5000,
  output: { lines: 40, characters: 4000 },
  processes: 5,
};
const whole: Limits = {
  message: mostGiven,
  text: mostGiven,
  output: { lines: 20_000, characters: mostGiven },
  processes: Infinity,
};

const more = "; all of it with detail: true";

/** @param all True for everything, within what one answer can reasonably carry. */
export function detailText(detail: Detail, all = false): string {
  const limits = all ? whole : usual;
  switch (detail.kind) {
    case "exchange":
      return exchangeText(detail, limits);
    case "stderr":
      return stderrText(detail, limits);
    case "diff":
      return diffText(detail, limits);
    case "build":
      return buildText(detail, limits);
    case "resources":
      return resourcesText(detail, limits);
  }
}

const cut = (text: string, most: number): string =>
  text.length <= most ? text : sectionHead(text, most) + more;

function exchangeText({ test, note, calls }: ExchangeDetail, limits: Limits): string {
  const from = test ? titleOf(test) : "Latest messages of the running servers";
  return joinLines(from, note, cut(calls.map((call) => callText(call, limits)).join("\n"), limits.text));
}

const titleOf = ({ id, name, status }: NonNullable<ExchangeDetail["test"]>): string =>
  `Test ${id}: ${name} (${status ?? "not run yet"})`;

function callText(
  { sequence, method, tool, messages, durationMs }: McpCall,
  { message: most }: Limits,
): string {
  const took = durationMs === undefined ? "" : `, ${duration(durationMs)}`;
  const title = sequence === 0
    ? "Outside calls"
    : `Call ${sequence}: ${method}${tool ? ` ${tool}` : ""}${took}`;
  const rows = messages.map(({ direction, message }) =>
    `  ${direction === "sent" ? "→" : "←"} ${cut(JSON.stringify(message), most)}`
  );
  return [title, ...rows].join("\n");
}

function stderrText({ test, note, stderr, stdout, commands }: StderrDetail, { output }: Limits): string {
  const parts = commands.map(({ exec, code, stdout, stderr }) =>
    joinLines(
      `$ ${exec}`,
      `exit code ${code ?? "none: ended by a signal"}`,
      boundedTail(stdout, output, more),
      boundedTail(stderr, output, more),
    )
  );
  return joinLines(
    test ? titleOf(test) : "The running servers",
    note,
    stderr === "" ? "stderr: nothing" : `stderr:\n${boundedTail(stderr, output, more)}`,
    stdout.length === 0
      ? "stdout, outside the protocol: nothing"
      : `stdout:\n${boundedTail(stdout.join("\n"), output, more)}`,
    ...parts,
  );
}

const diffText = ({ fix, diff }: DiffDetail, { text }: Limits): string =>
  joinLines(fixRow(fix), fix.body, cut(diff, text));

function buildText(
  { system, install, build, output, durationMs, error }: BuildDetail,
  limits: Limits,
): string {
  return joinLines(
    system === undefined ? "Nothing to build" : `Build system: ${system}`,
    install !== undefined && `Install: ${install}`,
    build !== undefined && `Build: ${build}${durationMs === undefined ? "" : ` (${duration(durationMs)})`}`,
    error,
    output === "" ? "No output" : boundedTail(output, limits.output, more),
  );
}

function resourcesText({ state, health, usage }: ResourcesDetail, limits: Limits): string {
  const { memory, cpu } = usage;
  return joinLines(
    `${state.runtime}, ${state.image}: ${health.healthy ? "healthy" : health.problems.join("; ")}`,
    ...usage.disks.map(({ mount, totalMB, usedMB, freeMB }) =>
      `Disk ${mount}: ${megabytes(usedMB)} of ${megabytes(totalMB)} used, ${megabytes(freeMB)} free`
    ),
    ...limitedList(
      usage.folders.map(({ path, usedMB }) => `  ${megabytes(usedMB)}  ${path}`),
      limits.processes,
      `more folders${more}`,
    ),
    `Memory: ${megabytes(memory.usedMB)} of ${megabytes(memory.totalMB)} (${
      memory.limited ? "the environment's limit" : "of the host"
    })`,
    `CPU: ${count(cpu.cpus, "core")}, load ${cpu.load.join(" ")}`,
    ...state.limits.map(({ name, value, enforced }) =>
      `Limit ${name} ${value}${enforced ? "" : ": not enforced"}`
    ),
    `Processes: ${usage.processCount}, the largest first:`,
    ...limitedList(
      usage.processes.map(({ command, state, memoryMB, cpuSeconds }) =>
        `  ${megabytes(memoryMB)}, ${cpuSeconds} s of CPU, ${state}: ${command.slice(0, 120)}`
      ),
      limits.processes,
      `more processes${more}`,
    ),
  );
}

const megabytes = (figure: number): string =>
  figure >= 1024 ? `${(figure / 1024).toFixed(1)} GB` : `${figure} MB`;
