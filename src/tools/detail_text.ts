/** Detail on request for people and models (PTH design §8); the whole of it is in the structured data. */
import type {
  BuildDetail,
  Call,
  Detail,
  DetailKind,
  DiffDetail,
  ExchangeDetail,
  ResourcesDetail,
  StderrDetail,
} from "../../machines/model/detail.ts";
import { fixRow } from "./fix_text.ts";
import { head } from "./head.ts";
import { tail, tailLimits } from "./tail.ts";
import { count, duration, lines } from "./words.ts";

export const detailKinds = [
  "exchange",
  "stderr",
  "diff",
  "build",
  "resources",
] as const satisfies readonly DetailKind[];

/** Structured answers carry more than texts, but not a build's 16 MiB. */
const mostData = 200_000;

export function detailData(detail: Detail): Record<string, unknown> {
  if (detail.kind === "diff") return { ...detail, diff: head(detail.diff, mostData) };
  if (detail.kind !== "build") return { ...detail };
  return { ...detail, output: tail(detail.output, { ...limits, characters: mostData }, "") };
}

/** Characters that a text may take. */
const most = 40_000;
const limits = { ...tailLimits(true), characters: most };

export function detailText(detail: Detail): string {
  switch (detail.kind) {
    case "exchange":
      return exchangeText(detail);
    case "stderr":
      return stderrText(detail);
    case "diff":
      return diffText(detail);
    case "build":
      return buildText(detail);
    case "resources":
      return resourcesText(detail);
  }
}

function exchangeText({ test, note, calls }: ExchangeDetail): string {
  const from = test ? titleOf(test) : "Latest messages of the running servers";
  return lines(from, note, head(calls.map(callText).join("\n"), most));
}

const titleOf = ({ id, name, status }: NonNullable<ExchangeDetail["test"]>): string =>
  `Test ${id}: ${name} (${status ?? "not run yet"})`;

function callText({ sequence, method, tool, messages, durationMs }: Call): string {
  const took = durationMs === undefined ? "" : `, ${duration(durationMs)}`;
  const title = sequence === 0
    ? "Outside of calls"
    : `Call ${sequence}: ${method}${tool ? ` ${tool}` : ""}${took}`;
  const rows = messages.map(({ direction, message }) =>
    `  ${direction === "sent" ? "→" : "←"} ${JSON.stringify(message)}`
  );
  return [title, ...rows].join("\n");
}

function stderrText({ test, note, stderr, stdout, commands }: StderrDetail): string {
  const parts = commands.map(({ exec, code, stdout, stderr }) =>
    lines(`$ ${exec}`, `exit code ${code ?? "none: ended by a signal"}`, stdout, stderr)
  );
  return lines(
    test ? titleOf(test) : "The running servers",
    note,
    stderr === "" ? "stderr: nothing" : `stderr:\n${tail(stderr, limits, "")}`,
    stdout.length === 0
      ? "stdout, beside the protocol: nothing"
      : `stdout:\n${tail(stdout.join("\n"), limits, "")}`,
    ...parts,
  );
}

const diffText = ({ fix, diff }: DiffDetail): string => lines(fixRow(fix), fix.body, head(diff, most));

function buildText({ system, install, build, output, durationMs, error }: BuildDetail): string {
  return lines(
    system === undefined ? "Nothing to build" : `Build system: ${system}`,
    install !== undefined && `Install: ${install}`,
    build !== undefined && `Build: ${build}${durationMs === undefined ? "" : ` (${duration(durationMs)})`}`,
    error,
    output === "" ? "No output" : tail(output, limits, ""),
  );
}

function resourcesText({ state, health, usage }: ResourcesDetail): string {
  const { memory, cpu } = usage;
  return lines(
    `${state.runtime}, ${state.image}: ${health.healthy ? "healthy" : health.problems.join("; ")}`,
    ...usage.disks.map(({ mount, totalMB, usedMB, freeMB }) =>
      `Disk ${mount}: ${megabytes(usedMB)} of ${megabytes(totalMB)} used, ${megabytes(freeMB)} free`
    ),
    ...usage.folders.map(({ path, usedMB }) => `  ${megabytes(usedMB)}  ${path}`),
    `Memory: ${megabytes(memory.usedMB)} of ${megabytes(memory.totalMB)} (${
      memory.limited ? "the environment's limit" : "of the machine"
    })`,
    `CPU: ${count(cpu.cpus, "core")}, load ${cpu.load.join(" ")}`,
    ...state.limits.map(({ name, value, enforced }) =>
      `Limit ${name} ${value}${enforced ? "" : ": not enforced"}`
    ),
    `Processes: ${usage.processCount}, the largest first:`,
    ...usage.processes.map(({ command, state, memoryMB, cpuSeconds }) =>
      `  ${megabytes(memoryMB)}, ${cpuSeconds} s of CPU, ${state}: ${command.slice(0, 120)}`
    ),
  );
}

const megabytes = (figure: number): string =>
  figure >= 1024 ? `${(figure / 1024).toFixed(1)} GB` : `${figure} MB`;
