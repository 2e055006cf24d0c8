/** A session that stays where it is until somebody does something about it. */
import { join } from "node:path";
import process from "node:process";
import type { Test } from "tap";
import { type HostProcess, signalProcess } from "../../src/platform/process.ts";
import { root, startPth } from "./pth.ts";
import { processesWith } from "./viewers.ts";

export interface HangingRun extends HostProcess {
  /** The server's command line. */
  command: string;
}

/**
 * `pth run` of a server that never answers a call. Both are killed with the test: the server hears nothing of its end.
 * @param home its `PTH_HOME`
 * @param name a digit, after `--delay` in its title
 */
export async function startHangingRun(t: Test, home: string, name = "1"): Promise<HangingRun> {
  const faulty = join(root, "test/fixtures/faulty_servers/faulty.mjs");
  const mark = `${name}${process.pid}`;
  const command = `${process.execPath} run -A ${faulty} --fault hangs_on_call --delay ${mark}`;
  const run = await startPth(["run", "--env", "host", "--timeout", "300", "--command", command], {
    PTH_HOME: home,
    PTH_WORKTREE_DIR: join(home, "worktrees"),
  });
  t.teardown(async () => {
    run.kill("SIGKILL");
    await run.ended;
    for (const pid of await processesWith("--delay", mark)) signalProcess(pid, "SIGKILL");
  });
  run.stdout.resume();
  run.stderr.resume();
  return { ...run, command };
}
