/** Runs commands as the runtime contract requires, on any runner that starts commands in a guest. */
import { setTimeout as later } from "node:timers/promises";
import { PthError } from "../../core/errors.ts";
import { abortSentinel, raceAbort } from "../../core/waiting.ts";
import { collectOutputs, type ExitStatus } from "../../platform/process.ts";
import { givenOutputs, untilClosed } from "../../platform/streams.ts";
import type { EnvironmentProcess, ExecOptions } from "../runtime.ts";
import { abortWithin } from "../shared/agent/exec_by_agent.ts";
import type { CommandRequest, InsideCommand } from "../shared/agent/inside_command.ts";
import type { ExecResult } from "../../../machines/model/environment_operations.ts";

/**
 * Time for which output may wait for its reader before the end of its process is reported all the same, in
 * ms.
 */
const readerMs = 300;

export type Start = (order: CommandRequest) => Promise<InsideCommand>;

/** @throws {PthError} `EXEC_FAILED` for an empty command, `ENVIRONMENT_LOST` when the connection was cut meanwhile */
export async function execInGuest(
  start: Start,
  order: Omit<CommandRequest, "stdin">,
  options: ExecOptions,
): Promise<ExecResult> {
  const { signal, stdin } = options;
  mustBeCommand(order);
  signal?.throwIfAborted();
  const started = performance.now();
  const command = await startUnlessAborted(start({ ...order, stdin: stdin !== undefined }), signal);
  const whole = Promise.all([untilClosed(command.stdout), untilClosed(command.stderr)]);
  const gathered = collectOutputs(command, options);
  if (stdin !== undefined) command.stdin.end(stdin);
  const status = await unlessAborted(command, signal);
  if (status === undefined) {
    throw new PthError(
      "ENVIRONMENT_LOST",
      `Cannot finish ${order.command[0]}: the connection to the guest was lost`,
      { output: gathered().stderr, transient: false }, // it has begun already
    );
  }
  command.discard(); // a child in the background may hold the pipes for ever
  await whole;
  return { ...status, ...gathered(), durationMs: performance.now() - started };
}

/** A guest that has to be connected to first may take long; what starts all the same is ended then. */
async function startUnlessAborted(
  starting: Promise<InsideCommand>,
  signal: AbortSignal | undefined,
): Promise<InsideCommand> {
  const first = await raceAbort(starting, signal);
  if (first !== abortSentinel) return first;
  starting.then(end, () => {}); // why it would not start is of no interest any more
  throw signal!.reason;
}

async function unlessAborted(
  command: InsideCommand,
  signal: AbortSignal | undefined,
): Promise<ExitStatus | undefined> {
  const first = await raceAbort(command.settled, signal);
  if (first !== abortSentinel) return first;
  await end(command);
  throw signal!.reason;
}

async function end(command: InsideCommand): Promise<void> {
  await command.signal("SIGKILL");
  await Promise.race([command.settled, later(abortWithin)]);
  command.discard();
}

/** A connection that is lost ends the process: the agent kills it, or the machine is gone. */
const lost: ExitStatus = { code: null, signal: "SIGKILL" };

/** @throws {PthError} `EXEC_FAILED` for an empty command, `ENVIRONMENT_LOST` */
export async function spawnInGuest(
  start: Start,
  order: Omit<CommandRequest, "stdin">,
): Promise<EnvironmentProcess> {
  mustBeCommand(order);
  const command = await start({ ...order, stdin: true });
  const { pid, stdin, stdout, stderr } = command;
  const exited = command.settled.then(async (status) => {
    await givenOutputs([stdout, stderr], readerMs);
    return status ?? lost;
  });
  const kill: EnvironmentProcess["kill"] = async (signal, whom) => {
    if (whom !== "leader") return await command.signal(signal);
    const words = ["sh", "-c", 'kill -s "$1" -- "$2" 2>/dev/null; :', "sh", signal.slice(3), String(pid)];
    // A guest that is gone, or not reached any more, has no process left to signal.
    const killing = await start({ command: words, cwd: "/", env: {}, stdin: false }).catch(() => undefined);
    await killing?.settled;
    killing?.discard();
  };
  return { pid, stdin, stdout, stderr, exited, kill };
}

function mustBeCommand({ command, cwd, env }: Omit<CommandRequest, "stdin">): void {
  const refuse = (why: string): never => {
    throw new PthError("EXEC_FAILED", `Cannot run a command: ${why}`);
  };
  if ((command[0] ?? "") === "") refuse("the command is empty");
  if ([...command, cwd, ...Object.entries(env).flat()].some((word) => word.includes("\0"))) {
    refuse("a word, its folder or a variable holds a NUL");
  }
}
