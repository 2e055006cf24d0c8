/** Health of an environment, by one shell script that runs inside it. */
import type { BusyProcess, HealthReport } from "../../../machines/model/environment.ts";
import { assetText } from "../../platform/asset_text.ts";
import { sectionNumber, sections } from "./sections.ts";

/** Prints what `parseHealth` reads. */
export const healthScript = (): string => assetText("environment/health.sh");

/** Facts that a runtime knows better from outside than the script does inside. */
export type HealthFacts = Partial<
  Pick<HealthReport, "memoryUsedPercent" | "memoryForFilesPercent" | "oomKills" | "processes" | "busy">
>;

export interface HealthView extends HealthFacts {
  /** Pids of the environment, where the script sees others' processes, too: only zombies of these are its own. */
  own?: readonly number[];
}

/** @param now Of the host, in ms */
export function parseHealth(
  text: string,
  { own, ...known }: HealthView = {},
  now = Date.now(),
): HealthReport {
  const found = sections(text);
  if (!found.get("clock")?.[0]) return goneHealth("It cannot run a shell script any more", known);
  const disks = usedByMount(found, "disks");
  const inodes = usedByMount(found, "inodes").get("/") ?? 0;
  const processes = processesIn(found);
  const facts = {
    diskUsedPercent: disks.get("/") ?? 0,
    memoryUsedPercent: memoryUsed(found),
    processes: processes.length,
    zombies:
      processes.filter(({ state, numbers: [parent] }) =>
        state === "Z" && (own === undefined || own.includes(parent!))
      ).length,
    oomKills: Number(found.get("oom")?.[0]?.split(" ")[1] ?? 0),
    failedUnits: (found.get("units") ?? []).map((line) => line.split(" ")[0]!),
    ...(inodes > 0 ? { inodesUsedPercent: inodes } : {}),
    otherDisks: Object.fromEntries([...disks].filter(([mount]) => mount !== "/")),
    memoryPressurePercent: Number(found.get("pressure")?.[0]?.match(/avg10=([\d.]+)/)?.[1] ?? 0),
    openFilesPercent: openFiles(found),
    clockSkewSeconds: Math.round(sectionNumber(found, "clock") + 0.5 - now / 1000),
    busy: busyAmong(processes, sectionNumber(found, "uptime")),
    missing: found.get("missing") ?? [],
    ...known,
  };
  const problems = problemsOf(facts);
  return { healthy: problems.length === 0, problems, ...facts };
}

/** Health at an earlier time: a problem that existed before does not come from the latest tests. */
export interface EarlierHealth {
  /** Out-of-memory kills that were reported already. */
  oomKills?: number;
  /** Units that had failed when the environment was provisioned. */
  failedUnits?: readonly string[];
}

/** The same report, its problems judged by what is new. */
export function judgedSince(report: HealthReport, earlier: EarlierHealth): HealthReport {
  if (report.gone) return report;
  const problems = problemsOf(report, earlier);
  return { ...report, healthy: problems.length === 0, problems };
}

/** Share of the enforced limit where there is one below the machine's memory, else of the machine. */
function memoryUsed(found: Map<string, string[]>): number {
  const info = Object.fromEntries((found.get("meminfo") ?? []).map((line) => line.split(/:\s+/)));
  const total = Number.parseInt(info.MemTotal ?? "0") * 1024;
  const available = Number.parseInt(info.MemAvailable ?? "0") * 1024;
  const [limit, usage] = [sectionNumber(found, "limit"), sectionNumber(found, "usage")];
  if (limit > 0 && limit < total) return percent(usage, limit);
  return percent(total - available, total);
}

const percent = (part: number, whole: number): number =>
  whole > 0 ? Math.min(100, Math.max(0, Math.round((part / whole) * 1000) / 10)) : 0;

/** Percent by mount, from what `df -P` prints; a mount that says none, as one without inodes, is left out. */
function usedByMount(found: Map<string, string[]>, name: string): Map<string, number> {
  const rows = (found.get(name) ?? []).flatMap((line) => [line.match(/ (\d+)% +(\/.*)$/) ?? []]);
  return new Map(
    rows.filter((row) => row.length > 0).map(([, used, mount]) => [mount!, Number(used)] as const),
  );
}

function openFiles(found: Map<string, string[]>): number {
  const [used = 0, , limit = 0] = (found.get("files")?.[0] ?? "").split(/\s+/).map(Number);
  return percent(used, limit);
}

/** Unit of the kernel's times in /proc. */
const ticksPerSecond = 100;
/** A process is busy from so many seconds of processor time on, if it used a processor at least a quarter of its life. */
const busyFrom = 3;

interface ProcessLine {
  pid: number;
  command: string;
  state: string;
  /** Fields after the state, in the kernel's order. */
  numbers: number[];
}

/**
 * From lines of `/proc/<pid>/stat`; a command may hold spaces and brackets. The process that runs the script is PTH's and
 * left out.
 */
function processesIn(found: Map<string, string[]>): ProcessLine[] {
  const runner = found.get("runner")?.[0];
  return (found.get("processes") ?? []).flatMap((line) => {
    const [, pid, command, state, rest] = line.match(/^(\d+) \((.*)\) (\S) (.*)$/) ?? [];
    if (pid === undefined || pid === runner) return [];
    return [{ pid: Number(pid), command: command!, state: state!, numbers: rest!.split(" ").map(Number) }];
  });
}

/** Processes that run right now; between tests there should be none but the one that measures. */
function busyAmong(processes: readonly ProcessLine[], uptime: number): BusyProcess[] {
  const busy = processes.filter(({ state }) => state === "R").flatMap(({ pid, command, numbers }) => {
    const cpuSeconds = (numbers[10]! + numbers[11]!) / ticksPerSecond;
    const age = uptime - numbers[18]! / ticksPerSecond;
    const long = cpuSeconds >= busyFrom && cpuSeconds >= age / 4;
    return long ? [{ pid, command, cpuSeconds: Math.round(cpuSeconds) }] : [];
  });
  return busy.sort((one, other) => other.cpuSeconds - one.cpuSeconds).slice(0, 5);
}

type Facts = Omit<HealthReport, "healthy" | "problems">;

/**
 * Sentences, the worst first. Above 95 % a disk or memory soon fails what runs; 50 zombies show a missing reaper; a tenth of the
 * time lost to waiting for memory, and a clock five seconds off, fail tests with limits and certificates.
 */
function problemsOf(facts: Facts, { oomKills = 0, failedUnits = [] }: EarlierHealth = {}): string[] {
  const problems: (string | false | undefined)[] = [];
  const kills = facts.oomKills - oomKills;
  const full = (what: string, used = 0) => used >= 95 && `${what} ${used} % full`;
  const failed = facts.failedUnits.filter((unit) => !failedUnits.includes(unit));
  const skew = facts.clockSkewSeconds ?? 0;
  const missing = facts.missing ?? [];
  problems.push(
    kills > 0 &&
      `${kills === 1 ? "1 process was" : `${kills} processes were`} killed for lack of memory`,
    missing.length > 0 && `${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing`,
    full("The disk is", facts.diskUsedPercent),
    ...Object.entries(facts.otherDisks ?? {}).map(([mount, used]) => full(`${mount} is`, used)),
    (facts.inodesUsedPercent ?? 0) >= 95 && `${facts.inodesUsedPercent} % of the disk's inodes are used`,
    memoryFull(facts),
    (facts.memoryPressurePercent ?? 0) >= 10 &&
      `Everything waited for memory during ${facts.memoryPressurePercent} % of the last ten seconds`,
    failed.length > 0 && `Failed units: ${failed.join(", ")}`,
    ...(facts.busy ?? []).map(({ pid, command, cpuSeconds }) =>
      `Process ${pid} (${command}) keeps a processor busy, ${cpuSeconds} s so far`
    ),
    facts.zombies >= 50 && `${facts.zombies} zombie processes`,
    (facts.openFilesPercent ?? 0) >= 90 &&
      `${facts.openFilesPercent} % of the open files that the kernel allows are used`,
    Math.abs(skew) >= 5 &&
      `The clock inside is ${Math.abs(skew)} s ${skew > 0 ? "ahead of" : "behind"} the host's`,
  );
  return problems.filter((problem): problem is string => typeof problem === "string");
}

/** Files that lie in memory leave less for processes: where both together fill it, which of them does is said. */
function memoryFull({ memoryUsedPercent: used, memoryForFilesPercent: files = 0 }: Facts): string | false {
  if (used + files < 95) return false;
  if (files === 0) return `${used} % of the memory is used`;
  return `${
    Math.min(100, Math.round(used + files))
  } % of the memory is used, ${files} % of it by files: this box's disk is in memory`;
}

/** The report of an environment that does not live any more. @param known what can be seen of it from outside */
export function goneHealth(problem: string, known: HealthFacts = {}): HealthReport {
  const facts = {
    diskUsedPercent: 0,
    memoryUsedPercent: 0,
    processes: 0,
    zombies: 0,
    oomKills: 0,
    failedUnits: [],
    ...known,
  };
  return { healthy: false, problems: [problem, ...problemsOf(facts)], gone: true, ...facts };
}
