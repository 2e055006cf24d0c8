/** `pth viz` as a process, and those that PTH started by itself. */
import { readdir, readFile } from "node:fs/promises";
import type { Test } from "tap";
import type { HostProcess } from "../../src/platform/process.ts";
import { startPth } from "./pth.ts";

export interface StartedViewer extends HostProcess {
  /** It opens once. */
  address: string;
}

/** `pth viz …`, once it has told its address; it ends with the test. @param home its `PTH_HOME` */
export async function startViewer(t: Test, home: string, ...args: string[]): Promise<StartedViewer> {
  const viewer = await startPth(["viz", ...args, "--no-open"], { PTH_HOME: home });
  t.teardown(async () => {
    viewer.kill("SIGKILL");
    await viewer.exited;
  });
  let said = "";
  viewer.stderr.on("data", (chunk) => said += String(chunk));
  const address = await new Promise<string>((resolve, reject) => {
    let told = "";
    viewer.stdout.on("data", (chunk) => {
      told += String(chunk);
      if (told.includes("\n")) resolve(told.slice(0, told.indexOf("\n")));
    });
    void viewer.exited.then(({ code }) => reject(new Error(`pth viz ended with ${code}: ${said}`)));
  });
  return { ...viewer, address };
}

/** Process ids of those that show the session with this announcement; they would end a minute after their last page. */
export const viewersOf = (id: string): Promise<number[]> => processesWith("--spawned", "--session", id);

/** Process ids of those that were started with these arguments in a row. */
export async function processesWith(...words: string[]): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")), // it has ended meanwhile
  );
  return pids.filter((_, at) => commands[at]!.includes(`\0${words.join("\0")}\0`)).map(Number);
}
