/** A place to measure in that is a folder of this machine, with a real shell. */
import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { Test } from "tap";
import { runCommand, spawnProcess } from "../../../../src/platform/process.ts";
import type { CoverageSite } from "../../../../src/testing/coverage/collector.ts";

export async function localSite(t: Test, source = "/somewhere"): Promise<CoverageSite & { top: string }> {
  const top = await realpath(t.testdir({}));
  await mkdir(join(top, "plugin"));
  await mkdir(join(top, "data"));
  return {
    top,
    folder: join(top, "data"),
    plugin: join(top, "plugin"),
    source,
    isolated: true,
    exec: async (command, { timeoutMs = 10_000, ...options } = {}) =>
      await runCommand(command, { signal: AbortSignal.timeout(timeoutMs), ...options }),
    spawn: async (command) => {
      const child = await spawnProcess(command, { ownGroup: true });
      t.teardown(() => child.kill("SIGKILL"));
      return { ...child, kill: (signal) => Promise.resolve(child.kill(signal)) };
    },
  };
}
