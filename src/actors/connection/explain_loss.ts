/** Slots `call.explain_loss` and `call.explain_silence`: looks at a server that died or hangs. */
import type { CallTimeout, UnansweredCall } from "../../../machines/call_machine.ts";
import type { ConnectionLoss } from "../../../machines/model/plugin.ts";
import type { Connection } from "../../client/connection.ts";
import { errorMessage, PthError } from "../../core/errors.ts";
import { accessTo } from "../../plugin/environment_access.ts";
import { inspectedStacks } from "../../stuck/inspected_stacks.ts";
import { processesOf, resourcesText } from "../../diagnosis/server_state.ts";
import type { SessionResources } from "../session_resources.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";
import { takeServerStacks } from "../stuck/hang_inspection_actors.ts";
import { answersPing } from "./ping.ts";

/** Limit for a ping to a server that owes an answer, in ms. */
const pingWithinMs = 3000;

/** Limit for the stacks of a server that is about to be ended, in ms. */
const stacksWithinMs = 2000;

interface Lost {
  connectionId: string;
  tool: string;
  loss: ConnectionLoss;
}

export const explainLoss = (stage: GetSession) =>
  promiseActor<unknown, Lost>(stage, async (live, { connectionId, tool, loss }) => {
    const last = live.connections.lastCalls.get(connectionId);
    const error = await environmentFailure(live) ??
      new PthError("SERVER_LOST", `Cannot call ${tool}: the server has exited: ${loss.message}`, {
        output: loss.stderrTail,
        exitCode: loss.exitCode,
        signal: loss.signal,
        lastCall: last === undefined ? "none since this instance was started" : `${last.tool} at ${last.at}`,
      });
    return live.secrets.redactError(await live.explain(error));
  });

export const diagnoseTimeout = (stage: GetSession) =>
  promiseActor<CallTimeout, UnansweredCall>(
    stage,
    async (live, { connectionId, tool, limitMs, inspection }) => {
      const connection = live.connections.require(connectionId);
      const lost = await environmentFailure(live);
      const hangs = lost !== undefined || !await answersPing(connection, pingWithinMs);
      const error = lost ?? await silence(live, connection, { tool, limitMs, hangs, inspection });
      return { error: live.secrets.redactError(await live.explain(error)), hangs };
    },
  );

async function silence(
  live: SessionResources,
  connection: Connection,
  { tool, limitMs, hangs, inspection: before }: Omit<UnansweredCall, "connectionId"> & { hangs: boolean },
): Promise<PthError> {
  const { runtime, info } = live.environment.require();
  const looked = <T>(look: () => Promise<T>) =>
    look().catch((error) => `cannot be found out: ${errorMessage(error)}`);
  const [processes, resources, inspection] = await Promise.all([
    looked(() => processesOf(accessTo(runtime, info.handle), `${live.sessionId}/${connection.id}`)),
    looked(async () => resourcesText(await live.environment.checkHealth())),
    // One that is ended may be asked for more.
    hangs && before ? takeServerStacks(live, before, AbortSignal.timeout(stacksWithinMs)) : before,
  ]);
  const ending = hangs
    ? "it answers no ping either, and is ended"
    : "it still answers pings, and goes on without this call";
  return new PthError(
    "SERVER_SILENT",
    `Cannot call ${tool}: no answer within ${limitMs / 1000} s; ${ending}${
      inspection ? ` (${inspection.says})` : ""
    }`,
    {
      output: connection.stderrTail(),
      silentFor: silentFor(connection),
      ...(inspection === undefined ? {} : { stacks: inspectedStacks(inspection) }),
      processes,
      resources,
    },
  );
}

function silentFor(connection: Connection): string {
  const last = connection.exchanges().findLast(({ direction }) => direction === "received");
  if (last === undefined) return "it has never answered";
  return `${((Date.now() - last.at) / 1000).toFixed(1)} s, since ${new Date(last.at).toISOString()}`;
}

/** A server that goes away with its whole environment, or is not reached because of it, is none of the server's faults. */
async function environmentFailure(live: SessionResources): Promise<PthError | undefined> {
  const { runtime, info } = live.environment.require();
  try {
    await runtime.exec(info.handle, ["true"], { cwd: "/" });
    return undefined;
  } catch (error) {
    if (error instanceof PthError) return error;
    throw error;
  }
}
