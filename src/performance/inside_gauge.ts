/** A gauge of a server that only its environment sees (an engine on another machine, a virtual machine). */
import { sections } from "../runtimes/shared/sections.ts";
import type { Gauge } from "./gauge.ts";
import { type ProcessFiles, usageOfProcesses } from "./process_files.ts";

/** Runs a POSIX script inside, the mark on its stdin so that nobody else carries it; answers its stdout. */
export type RunScriptInside = (script: string, stdin: string) => Promise<string>;

const each = (work: string) => `
read -r mark
for pid in $(grep -lz -x -F -- "PTH_INSTANCE=$mark" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3); do
  ${work}
done
true`;

const readScript = each(`echo '== schedstats'; cat /proc/$pid/task/*/schedstat 2>/dev/null
  echo '== status'; grep -E '^Vm(RSS|HWM):' /proc/$pid/status 2>/dev/null
  echo '== io'; cat /proc/$pid/io 2>/dev/null`);
const restartScript = each("echo 5 2>/dev/null >/proc/$pid/clear_refs");

export function insideGauge(mark: string, run: RunScriptInside): Gauge {
  return {
    source: "/proc of the server's processes, read inside the environment",
    restart: async () => void await run(restartScript, `${mark}\n`),
    read: async () => usageOfProcesses(processesIn(await run(readScript, `${mark}\n`))),
  };
}

function processesIn(text: string): ProcessFiles[] {
  const blocks = text.split(/^(?=== schedstats$)/m).filter((block) => block.startsWith("== schedstats"));
  return blocks.map((block) => {
    const found = sections(block);
    const lines = (name: string) => found.get(name) ?? [];
    return {
      schedstats: lines("schedstats"),
      status: lines("status").join("\n"),
      io: lines("io").join("\n"),
    };
  });
}
