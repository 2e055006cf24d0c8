/**
 * Usage of an environment's disk, memory and processor time, from the output of one shell script that runs
 * inside it.
 */
import type { ResourceUsage } from "../../../machines/model/detail.ts";
import { assetText } from "../../platform/asset_text.ts";
import { sections } from "./sections.ts";

const mostProcesses = 15;

/** Prints what `parseUsage` reads; its words are the source folder, and a variable that marks the processes of interest. */
export const usageScript = (): string => assetText("environment/usage.sh");

export function parseUsage(text: string): ResourceUsage {
  const found = sections(text);
  const lines = (name: string) => found.get(name) ?? [];
  const first = (name: string) => Number.parseFloat(lines(name)[0] ?? "");
  const kilobytes = Object.fromEntries(
    lines("meminfo").map((line) => [line.split(":")[0]!, Number.parseInt(line.split(/:\s*/)[1]!)]),
  );
  const total = kilobytes.MemTotal ?? 0;
  // Without a limit the file says "max", or a number beyond all memory.
  const limit = first("limit") / 1024;
  const limited = limit > 0 && limit < total;
  const usage = first("usage") / 1024;
  return {
    disks: lines("disks").flatMap(diskOf),
    folders: lines("folders").flatMap(folderOf),
    memory: {
      totalMB: megabytes(limited ? limit : total),
      usedMB: megabytes(limited ? usage : total - (kilobytes.MemAvailable ?? total)),
      limited,
    },
    cpu: {
      cpus: first("cpus") || 1,
      load: (lines("load")[0] ?? "").split(" ").slice(0, 3).map(Number),
    },
    processes: lines("processes").flatMap((line) => processOf(line, first("ticks") || 100))
      .sort((a, b) => b.memoryMB - a.memoryMB || b.cpuSeconds - a.cpuSeconds)
      .slice(0, mostProcesses),
    processCount: lines("processes").length,
  };
}

const megabytes = (kilobytes: number): number => Math.round(kilobytes / 102.4) / 10;

/** Filesystem, 1024-blocks, used, available, capacity, mount point. */
function diskOf(line: string): ResourceUsage["disks"] {
  const found = /^(.*?)\s+(\d+)\s+(\d+)\s+(\d+)\s+\d+%\s+(\/.*)$/.exec(line);
  if (!found) return [];
  const [total, used, free] = found.slice(2, 5).map((figure) => megabytes(Number(figure)));
  return [{ mount: found[5]!, totalMB: total!, usedMB: used!, freeMB: free! }];
}

function folderOf(line: string): ResourceUsage["folders"] {
  const found = /^(\d+)\s+(.+)$/.exec(line);
  return found ? [{ path: found[2]!, usedMB: megabytes(Number(found[1])) }] : [];
}

/** Fields of /proc/<pid>/stat from the state on, then the command line. */
function processOf(line: string, ticks: number): ResourceUsage["processes"] {
  const at = line.indexOf(" | ");
  const fields = line.slice(0, at).split(" ");
  const [user, system, pages] = [fields[11], fields[12], fields[21]].map(Number);
  if (at < 0 || !Number.isFinite(pages)) return [];
  return [{
    command: line.slice(at + 3).trim(),
    state: fields[0]!,
    memoryMB: megabytes(pages! * 4),
    cpuSeconds: Math.round(((user! + system!) / ticks) * 10) / 10,
  }];
}
