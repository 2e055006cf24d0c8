/** Viewers that PTH started by itself. They end a minute after their last page: a test ends them sooner. */
import { readdir, readFile } from "node:fs/promises";

/** Process ids of those that show the session with this announcement. */
export async function viewersOf(id: string): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")), // it has ended meanwhile
  );
  return pids.filter((_, at) => commands[at]!.includes(`--spawned\0--session\0${id}\0`)).map(Number);
}
