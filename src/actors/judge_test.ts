/** Slot `test.judge`: adds what only the living connection knows to the observation, and weighs it. */
import type { Verdict } from "../../machines/model/test_result.ts";
import type { JudgeInput } from "../../machines/test_machine.ts";
import type { Connection } from "../client/connection.ts";
import { asPthError } from "../errors.ts";
import { judge } from "../testing/judge.ts";
import type { Observation } from "../testing/observation.ts";
import type { LiveSession } from "./live_session.ts";
import { promiseActor, type Stage } from "./promise_actor.ts";

export const judgeTest = (stage: Stage) =>
  promiseActor<Verdict, JudgeInput>(stage, (live, input) => {
    const { planned: { test }, rules: { strict }, observation, connectionId } = input;
    const { callError, timedOut, commands, ...rest } = observation;
    const tool = live.tools.find(({ name }) => name === test.tool);
    const seen: Observation = {
      ...rest,
      commands: commands.map(({ command, result }) => ({
        command,
        result: { ...result, code: result.code ?? -1 },
      })),
      strayOutput: newStrayOutput(live, connectionId),
      ...(tool === undefined ? {} : { tool }),
      ...(timedOut === undefined ? {} : { timedOut }),
      ...(callError === undefined ? {} : { callError: errorFacts(callError) }),
    };
    return Promise.resolve(live.redact.value(judge(test, seen, { strict })));
  });

function errorFacts(error: unknown): { code: string; message: string } {
  const { code, message, context } = asPthError(error);
  return { code, message: [message, context.output?.trim().slice(-2000)].filter(Boolean).join("\n") };
}

/** How many lines of a connection's stray output were told by earlier tests. */
const told = new WeakMap<Connection, number>();

/** Lines on stdout since the last test of this connection. */
function newStrayOutput(live: LiveSession, connectionId: string | undefined): string[] {
  const connection = connectionId === undefined ? undefined : live.connections.get(connectionId);
  if (!connection) return [];
  const all = connection.strayOutput();
  const known = told.get(connection) ?? 0;
  told.set(connection, all.length);
  return all.slice(known);
}
