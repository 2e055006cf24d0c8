/**
 * Reads the state of an environment after a server crashed or hung: core dump, processes, resources, installed
 * dependencies.
 */
import type { EnvironmentAccess } from "../plugin/environment_access.ts";
import type { HealthReport } from "../../machines/model/environment.ts";
import type { PluginPlan } from "../../machines/model/plugin.ts";

const lookWithin = 10_000;

/** Newer than ten minutes: an older one is of another crash. */
const coreScript = `
pattern=$(cat /proc/sys/kernel/core_pattern 2>/dev/null)
case $pattern in
  '|'*) echo "handed to \${pattern#|}"; exit ;;
  */*) folder=\${pattern%/*} ;;
  *) folder=. ;;
esac
for file in $(find "$folder" -maxdepth 1 -type f -name "core*" -mmin -10 2>/dev/null); do
  case $file in ./*) echo "$PWD/\${file#./}" ;; *) echo "$file" ;; esac
done
true`;

/** Signals, and the exit codes that shells make of them, at which a kernel writes a core dump. */
const coreSignals = /^SIG(?:ABRT|BUS|FPE|ILL|QUIT|SEGV|SYS|TRAP)$/;
const coreExitCodes = [131, 132, 133, 134, 135, 136, 139, 159];

/** Path of the core dump inside the environment, or why there is none; undefined where the end was no crash of that kind. */
export async function coreDump(
  env: EnvironmentAccess,
  folder: string,
  { exitCode, signal }: { exitCode?: unknown; signal?: unknown },
): Promise<string | undefined> {
  if (!coreSignals.test(String(signal)) && !coreExitCodes.includes(Number(exitCode))) return undefined;
  const { stdout } = await env.exec(["sh", "-c", coreScript], {
    cwd: folder,
    signal: AbortSignal.timeout(lookWithin),
  });
  return stdout.trim() || "none was written (see ulimit -c inside the environment)";
}

/** The mark is on stdin, so that neither the shell nor grep carries it. */
const processScript = `
read -r mark
echo 'pid ppid state threads memory_kib cpu_ticks waits_in command'
for pid in $(grep -lz -x -F -- "PTH_INSTANCE=$mark" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3); do
  [ -r "/proc/$pid/status" ] || continue
  field() { sed -n "s/^$1:[[:space:]]*//p" "/proc/$pid/status"; }
  ticks=$(sed 's/.*) //' "/proc/$pid/stat" | cut -d' ' -f12,13 | tr ' ' '+')
  line=$(tr '\\0' ' ' <"/proc/$pid/cmdline")
  memory=$(field VmRSS)
  echo "$pid $(field PPid) $(field State | tr -d ' ') $(field Threads) \${memory% kB} $ticks $(cat "/proc/$pid/wchan" 2>/dev/null) $line"
done
true`;

/** One line for each process of a server instance, as `ps` would show it; works where there is no `ps`. */
export async function processesOf(env: EnvironmentAccess, mark: string): Promise<string> {
  const { stdout } = await env.exec(["sh", "-c", processScript], {
    cwd: "/",
    stdin: `${mark}\n`,
    signal: AbortSignal.timeout(lookWithin),
  });
  return stdout.trim();
}

export function resourcesText(health: HealthReport): string {
  const { diskUsedPercent, memoryUsedPercent, processes, oomKills, problems } = health;
  const numbers = [
    `disk ${diskUsedPercent} % used`,
    `memory ${memoryUsedPercent} % used`,
    `${processes} processes`,
    `${oomKills} killed for lack of memory`,
  ];
  return [numbers.join(", "), ...problems].join("; ");
}

/** Build systems by their names, and who lists what is there; each is tried if its program is. */
const listings: readonly [RegExp, string][] = [
  [/^npm/, "npm ls --all --depth=2"],
  [/^pip/, "if [ -x .venv/bin/pip ]; then .venv/bin/pip list; else pip list; fi"],
  [/^cargo/, "cargo tree --depth 2"],
];

const listWithin = 20_000;

const mostLines = 60;

/** Lists the installed dependencies by the build system's command, with its errors; "" if it has none. */
export async function dependencyTree(
  { build, folder }: Pick<PluginPlan, "build" | "folder">,
  env: EnvironmentAccess,
): Promise<string> {
  const command = listings.find(([system]) => system.test(build?.system ?? ""))?.[1];
  if (command === undefined) return "";
  const { stdout, stderr } = await env.exec(["sh", "-c", command], {
    cwd: folder,
    env: { npm_config_update_notifier: "false", npm_config_logs_max: "0", npm_config_offline: "true" },
    signal: AbortSignal.timeout(listWithin),
  });
  const lines = `${stdout}${stderr}`.trim().split("\n");
  const more = lines.length - mostLines;
  return [...lines.slice(0, mostLines), ...(more > 0 ? [`… ${more} more lines: ${command}`] : [])].join("\n");
}
