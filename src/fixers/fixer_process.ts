/** A fixer command at work: a shell in a process group of its own, with a limit of time. */
import { collectOutputs, type ExitStatus, type HostProcess, spawnProcess } from "../platform/process.ts";
import { withDeadline } from "../core/waiting.ts";

export interface FixerProcess {
  command: string;
  cwd: string;
  env: Record<string, string>;
  stdin: string;
  timeoutSeconds: number;
  onStderr?: (text: string) => void;
}

export interface FixerExit extends ExitStatus {
  stdout: string;
  stderr: string;
  timedOut: boolean;
}

/** How long an asked process has to end by itself, and how long one that has ended may hold its pipes; in ms. */
const graceMs = 1000;

/**
 * Runs the command to its end; nothing of its process group is left then.
 * @throws the signal's reason when it was cancelled; {PthError} `EXEC_FAILED` when there is no shell
 */
export async function runFixerProcess(
  { command, cwd, env, stdin, timeoutSeconds, onStderr }: FixerProcess,
  signal: AbortSignal,
): Promise<FixerExit> {
  signal.throwIfAborted();
  const child = await spawnProcess(["sh", "-c", command], { cwd, env, clearEnv: true, ownGroup: true });
  const onOutput = (text: string, stream: string) => stream === "stderr" && onStderr?.(text);
  const gathered = collectOutputs(child, { onOutput });
  child.stdin.end(stdin);
  let timedOut = false;
  const cancel = () => void endGroup(child);
  const timer = setTimeout(() => {
    timedOut = true;
    cancel();
  }, timeoutSeconds * 1000);
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  const status = await child.ended;
  clearTimeout(timer);
  signal.removeEventListener("abort", cancel);
  await endGroup(child);
  signal.throwIfAborted();
  return { ...status, ...gathered(), timedOut };
}

/** Ends the group: asked first, then at once. What left the group may still hold the pipes; they are let go. */
async function endGroup(child: HostProcess): Promise<void> {
  child.kill("SIGTERM");
  await withDeadline(child.exited, graceMs);
  child.kill("SIGKILL");
  if (!await withDeadline(child.exited, graceMs)) {
    for (const pipe of [child.stdout, child.stderr]) {
      pipe.destroy();
    }
  }
}
