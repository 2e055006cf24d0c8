/**
 * Runs of `pth` that share a process, one after the other: what starting it costs is paid once. What each says, takes of
 * memory and ends with is its own all the same.
 */
import process from "node:process";
import {
  type ExitStatus,
  type HostProcess,
  type RunResult,
  spawnProcess,
} from "../../src/platform/process.ts";
import { programFile } from "./bundled_pth.ts";
import { root } from "./root.ts";

/** One run, as `programs/cli_in_turn.ts` reads it. */
export interface CliTurn {
  args: readonly string[];
  env: Record<string, string>;
  /** Stands behind the output of the run. */
  mark: string;
}

export interface CliRun {
  pid: number;
  kill(signal: NodeJS.Signals): void;
  /** The exit code of the run, or what ended the process; never rejects. */
  ended: Promise<ExitStatus>;
}

export interface CliTurns {
  /** Begins a run; the one before has ended. Where it ended the process, this one gets a new one. */
  start(
    args: readonly string[],
    env: Record<string, string>,
    hear: (text: string, stream: "stdout" | "stderr") => void,
  ): Promise<CliRun>;
  /** One run to its end, as `pth` of `pth.ts` does it. */
  run(args: readonly string[], options: { env: Record<string, string> }): Promise<CliResult>;
  close(): void;
}

export type CliResult = Pick<RunResult, "code" | "stdout" | "stderr">;

export function openCliTurns(): CliTurns {
  let living: HostProcess | undefined;

  async function startProcess(): Promise<HostProcess> {
    const command = [process.execPath, "run", "-A", "--v8-flags=--expose-gc", programFile("cli_in_turn")];
    const child = await spawnProcess(command, { cwd: root, ownGroup: true });
    void child.exited.then(() => {
      if (living === child) living = undefined;
    });
    child.stdout.setEncoding("utf8");
    child.stderr.setEncoding("utf8");
    return child;
  }

  const start: CliTurns["start"] = async (args, env, hear) => {
    const child = living ??= await startProcess();
    const mark = crypto.randomUUID();
    const ended = Promise.race([child.exited, codeBehind(child, mark, hear)]);
    const turn: CliTurn = { args, env, mark };
    child.stdin.write(`${JSON.stringify(turn)}\n`);
    return { pid: child.pid, kill: (signal) => child.kill(signal), ended };
  };
  return {
    start,
    async run(args, { env }) {
      const said = { stdout: "", stderr: "" };
      const { ended } = await start(args, env, (text, stream) => said[stream] += text);
      const { code } = await ended;
      return { code, ...said };
    },
    close: () => living?.kill("SIGKILL"),
  };
}

/** Resolves to the exit code once the mark stands on both streams; hands on what comes before. */
function codeBehind(
  child: HostProcess,
  mark: string,
  hear: (text: string, stream: "stdout" | "stderr") => void,
): Promise<ExitStatus> {
  const until = (stream: "stdout" | "stderr", pattern: RegExp) =>
    new Promise<string>((resolve) => {
      /** What may be the beginning of the mark. */
      let held = "";
      const read = (chunk: string) => {
        const text = held + chunk;
        const found = pattern.exec(text);
        const behind = found?.index ?? text.lastIndexOf("\n") + 1;
        if (behind > 0) hear(text.slice(0, behind), stream);
        held = text.slice(behind);
        if (found === null) return;
        child[stream].off("data", read);
        resolve(found[1] ?? "");
      };
      child[stream].on("data", read);
    });
  return Promise.all([
    until("stdout", new RegExp(`${mark} (\\d+)\\n`)),
    until("stderr", new RegExp(`${mark}\\n`)),
  ])
    .then(([code]) => ({ code: Number(code), signal: null }));
}
