import type { JudgeInput } from "../../../machines/test_machine.ts";
import type { Connection } from "../../client/connection.ts";
import { asPthError } from "../../core/errors.ts";
import { judge } from "../../testing/judge/judge.ts";
import { judgeSteps } from "../../testing/judge/judge_steps.ts";
import type { JudgedObservation } from "../../testing/judge/failing_verdict.ts";
import { keepEvidence } from "./keep_evidence.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";
import type { Verdict } from "../../../machines/model/verdict.ts";

export const judgeTest = (stage: GetSession) =>
  promiseActor<Verdict, JudgeInput>(stage, async (live, input) => {
    const { planned: { test }, rules: { strict, coverage }, observation, connectionId } = input;
    const { callError, ...rest } = observation;
    if (coverage) await live.coverage.run?.mark(test.id);
    const tool = live.plugin.tools.find(({ name }) => name === test.tool);
    // Now: a connection that was lost is forgotten in a moment.
    const connection = connectionId === undefined ? undefined : live.connections.open.get(connectionId);
    const strayOutput = newStrayOutput(connection);
    const seen: JudgedObservation = {
      ...rest,
      strayOutput,
      ...(tool === undefined ? {} : { tool }),
      ...(callError === undefined ? {} : { callError: errorFacts(callError) }),
    };
    const verdict = live.secrets.redact.value(
      test.steps === undefined ? judge(test, seen, { strict }) : judgeSteps(test, seen),
    );
    await keepEvidence(live, input, connection, strayOutput, verdict);
    return verdict;
  });

function errorFacts(error: unknown): { code: string; message: string } {
  const { code, message, context } = asPthError(error);
  return { code, message: [message, context.output?.trim().slice(-2000)].filter(Boolean).join("\n") };
}

/** Number of lines of a connection's stray output that earlier tests reported. */
const told = new WeakMap<Connection, number>();

/** Lines on stdout since the last test of this connection. */
function newStrayOutput(connection: Connection | undefined): string[] {
  if (!connection) return [];
  const all = connection.strayOutput();
  const known = told.get(connection) ?? 0;
  told.set(connection, all.length);
  return all.slice(known);
}
