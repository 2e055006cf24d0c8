/** Health of an environment, by one shell script that runs inside it (PTH design §5.1). */
import type { HealthReport } from "../../../machines/model/environment.ts";
import { numberIn, sections } from "./sections.ts";

/** POSIX sh; needs `df`, `tail`, `cut`, `tr`. Works in containers, boxes, machines and on the host itself. */
export const healthScript = `
echo '== disk'; df -Pk / | tail -n 1 | tr -s ' ' | cut -d' ' -f5
p=0; z=0
for f in /proc/[0-9]*/stat; do
  { read -r line <"$f"; } 2>/dev/null || continue
  p=$((p+1)); rest=\${line##*) }; [ "\${rest%% *}" = Z ] && z=$((z+1))
done
echo '== processes'; echo $p; echo '== zombies'; echo $z
echo '== meminfo'; grep -E '^Mem(Total|Available):' /proc/meminfo
c=/sys/fs/cgroup; m=$c/memory
echo '== limit'; cat $c/memory.max $m/memory.limit_in_bytes 2>/dev/null
echo '== usage'; cat $c/memory.current $m/memory.usage_in_bytes 2>/dev/null
echo '== oom'; cat $c/memory.events $m/memory.oom_control 2>/dev/null | grep '^oom_kill '
echo '== units'; [ -d /run/systemd/system ] && systemctl --failed --plain --no-legend 2>/dev/null | cut -d' ' -f1
true
`;

/** What a runtime knows better from outside than the script does inside. */
export type HealthFacts = Partial<Pick<HealthReport, "memoryUsedPercent" | "oomKills" | "processes">>;

export function parseHealth(text: string, known: HealthFacts = {}): HealthReport {
  const found = sections(text);
  const facts = {
    diskUsedPercent: numberIn(found, "disk"),
    memoryUsedPercent: memoryUsed(found),
    processes: numberIn(found, "processes"),
    zombies: numberIn(found, "zombies"),
    oomKills: Number(found.get("oom")?.[0]?.split(" ")[1] ?? 0),
    failedUnits: found.get("units") ?? [],
    ...known,
  };
  const problems = problemsOf(facts);
  return { healthy: problems.length === 0, problems, ...facts };
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

/** Sentences, the worst first. Above 95 % a disk or memory soon fails what runs; 50 zombies show a missing reaper. */
function problemsOf(facts: Omit<HealthReport, "healthy" | "problems">): string[] {
  const problems: string[] = [];
  if (facts.oomKills > 0) problems.push(`${facts.oomKills} processes were killed for lack of memory`);
  if (facts.diskUsedPercent >= 95) problems.push(`The disk is ${facts.diskUsedPercent} % full`);
  if (facts.memoryUsedPercent >= 95) problems.push(`${facts.memoryUsedPercent} % of the memory is used`);
  if (facts.failedUnits.length > 0) problems.push(`Failed units: ${facts.failedUnits.join(", ")}`);
  if (facts.zombies >= 50) problems.push(`${facts.zombies} zombie processes`);
  return problems;
}

/** The report of an environment that does not live any more. */
export const goneHealth = (problem: string): HealthReport => ({
  healthy: false,
  problems: [problem],
  diskUsedPercent: 0,
  memoryUsedPercent: 0,
  processes: 0,
  zombies: 0,
  oomKills: 0,
  failedUnits: [],
});
