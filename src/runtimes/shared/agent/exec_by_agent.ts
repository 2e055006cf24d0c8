/** Runs commands to their end by an agent, as the runtime contract requires. */
import { setTimeout as sleep } from "node:timers/promises";
import type { PthError } from "../../../core/errors.ts";
import { abortSentinel, raceAbort } from "../../../core/waiting.ts";
import { collectOutputs, type ExitStatus, type RunResult } from "../../../platform/process.ts";
import { untilClosed } from "../../../platform/streams.ts";
import type { ExecOptions } from "../../runtime.ts";
import type { CommandAgent } from "./command_agents.ts";
import type { AgentCommand } from "./create_agent_command.ts";
import type { CommandRequest } from "./inside_command.ts";

/** Time to wait for the end of an aborted command, in ms. */
export const abortWithin = 5000;

/** Work of the environment where the agent cannot do it. */
export interface OtherWay {
  /** Ends what carries a mark, in bounded time. Never rejects. */
  endMarked(mark: string): Promise<void>;
  /** Makes the error of a command that has begun and lost its agent, once nothing carries its mark. */
  lossOf(agent: CommandAgent, mark: string): Promise<PthError>;
}

/**
 * Undefined where it is sure that the command has not begun: the environment's other way runs it.
 * @param finding Rejects never.
 * @throws {unknown} the signal's reason, or what `lossOf` makes
 */
export async function execByAgent(
  finding: Promise<CommandAgent | undefined>,
  request: Omit<CommandRequest, "stdin">,
  options: ExecOptions,
  other: OtherWay,
): Promise<RunResult | undefined> {
  const { signal, stdin } = options;
  signal?.throwIfAborted();
  const started = performance.now();
  const found = await raceAbort(finding, signal);
  if (found === abortSentinel) throw signal!.reason;
  if (found !== undefined && request.command.some((word) => endsOthers.test(word))) {
    found.inDoubt = true;
    return undefined;
  }
  // That it was ended is heard of late: what is asked of it then might have begun.
  if (found?.inDoubt && await raceAbort(found.agent.isStill(), signal) === abortSentinel) {
    throw signal!.reason;
  }
  const made = isForAgent(request)
    ? found?.agent.order({ ...request, stdin: stdin !== undefined })
    : undefined;
  if (found === undefined || made === undefined) return undefined;
  const whole = Promise.all([untilClosed(made.stdout), untilClosed(made.stderr)]);
  const gathered = collectOutputs(made, options);
  if (stdin !== undefined) made.stdin.end(stdin);
  const status = await found.holdWhile(unlessAborted(made, signal, other));
  if (await made.started === "not begun") return undefined;
  if (status === undefined) throw await other.lossOf(found, made.mark);
  made.discard(); // a child in the background may hold the pipes for ever
  await whole;
  return { ...status, ...gathered(), durationMs: performance.now() - started };
}

/** Programs that end others by name, user or all at once: one that ends the agent under itself would have no result. */
const endsOthers = /\b(?:p?kill|killall5?|skill)\b/;

/** Empty commands and words with a NUL are refused by the other way, in its own words. */
const isForAgent = ({ command, cwd, env }: Omit<CommandRequest, "stdin">): boolean =>
  command.length > 0 &&
  ![...command, cwd, ...Object.entries(env).flat()].some((word) => word.includes("\0"));

async function unlessAborted(
  made: AgentCommand,
  signal: AbortSignal | undefined,
  other: OtherWay,
): Promise<ExitStatus | undefined> {
  const first = await raceAbort(made.settled, signal);
  if (first !== abortSentinel) return first;
  const ending = made.started.then(() => made.signal("SIGKILL")).then(() => made.settled).then(() => true);
  // The agent may be stopped, as the command may be.
  if (await Promise.race([ending, sleep(abortWithin)]) !== true) await other.endMarked(made.mark);
  made.discard();
  throw signal!.reason;
}
