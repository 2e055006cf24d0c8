/** A limit on CPUs without control groups: whole CPUs only, by binding commands to the first ones allowed. */
import { readTextIfExists } from "../../platform/files.ts";
import { runCommand } from "../../platform/process.ts";

/** Words before a command; none when the limit cannot be kept this way. */
export async function affinityFor(cpus: number | undefined): Promise<string[]> {
  if (cpus === undefined || !Number.isInteger(cpus) || cpus < 1) return [];
  const status = await readTextIfExists("/proc/self/status") ?? "";
  const allowed = cpuList(status.match(/^Cpus_allowed_list:\s*(\S+)$/m)?.[1] ?? "").slice(0, cpus);
  const words = ["taskset", "--cpu-list", allowed.join(",")];
  const works = await runCommand([...words, "true"]).then((result) => result.code === 0, () => false);
  return allowed.length > 0 && works ? words : [];
}

/** "0-2,5" as [0, 1, 2, 5]. */
export function cpuList(text: string): number[] {
  return text.split(",").filter((part) => part !== "").flatMap((part) => {
    const [from, to = from] = part.split("-").map(Number) as [number, number?];
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}
