/** Health of an environment, by one shell script that runs inside it (PTH design §5.1). */
import type { BusyProcess, HealthReport } from "../../../machines/model/environment.ts";
import { numberIn, sections } from "./sections.ts";

/**
 * POSIX sh; needs `df`, `tail`, `cut`, `tr`. Works in containers, boxes, machines and on the host itself. The clock comes last:
 * without it the script did not run to its end.
 */
export const healthScript = `
exec 2>/dev/null
echo '== disk'; df -Pk / | tail -n 1 | tr -s ' ' | cut -d' ' -f5
echo '== disks'; df -Pk /tmp /var /dev/shm | tail -n +2 | tr -s ' ' | cut -d' ' -f5,6
echo '== inodes'; df -Pi / | tail -n 1 | tr -s ' ' | cut -d' ' -f5
echo '== missing'
for f in /etc/passwd /etc/group /bin/sh /usr/bin/env /dev/null; do [ -e $f ] || echo $f; done
p=0; z=0; b=
for f in /proc/[0-9]*/stat; do
  { read -r line <"$f"; } || continue
  p=$((p+1)); rest=\${line##*) }
  case $rest in
    Z*) z=$((z+1));;
    R*) b="$b
$line";;
  esac
done
echo '== processes'; echo $p; echo '== zombies'; echo $z
echo '== running'; echo "$b"; echo '== uptime'; cat /proc/uptime
echo '== meminfo'; grep -E '^Mem(Total|Available):' /proc/meminfo
c=/sys/fs/cgroup; m=$c/memory
echo '== limit'; cat $c/memory.max $m/memory.limit_in_bytes
echo '== usage'; cat $c/memory.current $m/memory.usage_in_bytes
echo '== oom'; cat $c/memory.events $m/memory.oom_control | grep '^oom_kill '
echo '== pressure'; cat $c/memory.pressure /proc/pressure/memory | grep '^full'
echo '== files'; cat /proc/sys/fs/file-nr
echo '== units'; [ -d /run/systemd/system ] && systemctl --failed --plain --no-legend | cut -d' ' -f1
echo '== clock'; date +%s
true
`;

/** What a runtime knows better from outside than the script does inside. */
export type HealthFacts = Partial<
  Pick<HealthReport, "memoryUsedPercent" | "oomKills" | "processes" | "busy">
>;

/** @param now Of the host, in ms */
export function parseHealth(text: string, known: HealthFacts = {}, now = Date.now()): HealthReport {
  const found = sections(text);
  if (!found.get("clock")?.[0]) return goneHealth("It cannot run a shell script any more");
  const inodes = numberIn(found, "inodes");
  const facts = {
    diskUsedPercent: numberIn(found, "disk"),
    memoryUsedPercent: memoryUsed(found),
    processes: numberIn(found, "processes"),
    zombies: numberIn(found, "zombies"),
    oomKills: Number(found.get("oom")?.[0]?.split(" ")[1] ?? 0),
    failedUnits: found.get("units") ?? [],
    ...(inodes > 0 ? { inodesUsedPercent: inodes } : {}),
    otherDisks: otherDisks(found),
    memoryPressurePercent: Number(found.get("pressure")?.[0]?.match(/avg10=([\d.]+)/)?.[1] ?? 0),
    openFilesPercent: openFiles(found),
    clockSkewSeconds: Math.round(numberIn(found, "clock") + 0.5 - now / 1000),
    busy: busyProcesses(found),
    missing: found.get("missing") ?? [],
    ...known,
  };
  const problems = problemsOf(facts);
  return { healthy: problems.length === 0, problems, ...facts };
}

/** How it was before: what does not come from the latest tests is no problem of theirs. */
export interface EarlierHealth {
  /** Out-of-memory kills that were told already. */
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
  const [limit, usage] = [numberIn(found, "limit"), numberIn(found, "usage")];
  if (limit > 0 && limit < total) return percent(usage, limit);
  return percent(total - available, total);
}

const percent = (part: number, whole: number): number =>
  whole > 0 ? Math.min(100, Math.max(0, Math.round((part / whole) * 1000) / 10)) : 0;

function otherDisks(found: Map<string, string[]>): Record<string, number> {
  const rows = (found.get("disks") ?? []).map((line) => line.split(" "));
  return Object.fromEntries(
    rows.filter(([, mount]) => mount !== undefined && mount !== "/")
      .map(([used, mount]) => [mount!, Number.parseInt(used!) || 0]),
  );
}

function openFiles(found: Map<string, string[]>): number {
  const [used = 0, , limit = 0] = (found.get("files")?.[0] ?? "").split(/\s+/).map(Number);
  return percent(used, limit);
}

/** Of the kernel, for all that /proc tells. */
const ticksPerSecond = 100;
/** A process is busy from so many seconds of processor time on, if it used a processor at least a quarter of its life. */
const busyFrom = 3;

/** Those that run right now; between tests there should be none but the one that looks. */
function busyProcesses(found: Map<string, string[]>): BusyProcess[] {
  const uptime = numberIn(found, "uptime");
  const processes = (found.get("running") ?? []).flatMap((line) => {
    const match = line.match(/^(\d+) \((.*)\) (.*)$/);
    if (!match) return [];
    const fields = match[3]!.split(" ").map(Number);
    const cpuSeconds = (fields[11]! + fields[12]!) / ticksPerSecond;
    const age = uptime - fields[19]! / ticksPerSecond;
    const busy = cpuSeconds >= busyFrom && cpuSeconds >= age / 4;
    return busy ? [{ pid: Number(match[1]), command: match[2]!, cpuSeconds: Math.round(cpuSeconds) }] : [];
  });
  return processes.sort((one, other) => other.cpuSeconds - one.cpuSeconds).slice(0, 5);
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
    facts.memoryUsedPercent >= 95 && `${facts.memoryUsedPercent} % of the memory is used`,
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

/** The report of an environment that does not live any more. */
export const goneHealth = (problem: string): HealthReport => ({
  healthy: false,
  problems: [problem],
  gone: true,
  diskUsedPercent: 0,
  memoryUsedPercent: 0,
  processes: 0,
  zombies: 0,
  oomKills: 0,
  failedUnits: [],
});
