/** What is inside an environment, by one shell script. */
import type { EnvironmentState } from "../../../machines/model/environment.ts";
import { sectionNumber, sections } from "./sections.ts";

/**
 * POSIX sh; asks the tools for their versions side by side, each at most 5 s where `timeout` exists. npm's is read from its own
 * manifest: npm takes longer to say it than all the others together.
 */
export const inspectScript = `
echo '== hostname'; uname -n
echo '== kernel'; uname -r
echo '== os'; (. /etc/os-release 2>/dev/null; echo "\${PRETTY_NAME:-unknown}")
echo '== cpus'; nproc 2>/dev/null || grep -c ^processor /proc/cpuinfo
echo '== memory'; sed -n 's/^MemTotal: *//p' /proc/meminfo
echo '== disk'; df -Pk / | tail -n 1 | tr -s ' ' | cut -d' ' -f4
n=0; for d in /proc/[0-9]*; do n=$((n+1)); done
echo '== processes'; echo $n
echo '== tools'
limit=; command -v timeout >/dev/null && limit='timeout 5'
for tool in node npm python3 git gcc g++ make cargo go deno uv; do
  command -v $tool >/dev/null || continue
  flag=--version; [ $tool = go ] && flag=version
  v=
  [ $tool = npm ] && p=$(readlink -f "$(command -v npm)") &&
    v=$(sed -n '/^ *"version":/{s/.*: *"\\([^"]*\\)".*/\\1/p;q;}' "\${p%/bin/npm-cli.js}/package.json" 2>/dev/null)
  (echo "$tool \${v:-$($limit $tool $flag 2>&1 | head -n 1)}") &
done
wait
`;

export type InsideFacts = Pick<
  EnvironmentState,
  "hostname" | "os" | "kernel" | "cpus" | "memoryMB" | "diskFreeMB" | "tools" | "processes"
>;

export function parseInspection(text: string): InsideFacts {
  const found = sections(text);
  const first = (name: string) => found.get(name)?.[0] ?? "";
  return {
    hostname: first("hostname"),
    os: first("os"),
    kernel: first("kernel"),
    cpus: Math.max(1, sectionNumber(found, "cpus")),
    memoryMB: Math.round(sectionNumber(found, "memory") / 1024),
    diskFreeMB: Math.round(sectionNumber(found, "disk") / 1024),
    processes: sectionNumber(found, "processes"),
    tools: versionsIn(found.get("tools") ?? []),
  };
}

/** A tool that answers without a version ("command not found" of a broken shim) counts as absent. */
function versionsIn(lines: string[]): Record<string, string> {
  const pairs = lines.map((line) => [line.split(" ")[0]!, line.match(/\d+(\.\d+)+[\w.+-]*/)?.[0]] as const);
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined).sort());
}

/** The facts of an environment that does not live any more. */
export const nothingInside: InsideFacts = {
  hostname: "",
  os: "",
  kernel: "",
  cpus: 0,
  memoryMB: 0,
  diskFreeMB: 0,
  processes: 0,
  tools: {},
};
