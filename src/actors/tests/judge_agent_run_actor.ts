/** Slot `agent_run.judge`: weighs the run, and keeps what was said in it while its connection is still there. */
import type { AgentJudgeInput } from "../../../machines/agent_run_machine.ts";
import { errorMessage } from "../../core/errors.ts";
import { judgeAgentRun as weigh } from "../../testing/judge/judge_agent_run.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";
import type { Verdict } from "../../../machines/model/verdict.ts";

export const judgeAgentRunActor = (stage: GetSession) =>
  promiseActor<Verdict, AgentJudgeInput>(stage, async (live, { planned: { test }, work, connectionId }) => {
    const { error, ...rest } = work;
    // A run that got no server has run nothing.
    if (connectionId !== undefined) await live.coverage.run?.mark(test.id);
    const verdict = live.secrets.redact.value(
      weigh(test, { ...rest, ...(error === undefined ? {} : { error: errorMessage(error) }) }),
    );
    const connection = connectionId === undefined ? undefined : live.connections.open.get(connectionId);
    const evidence = live.secrets.redact.value({
      exchange: [...connection?.exchanges() ?? []],
      stderr: connection?.stderrTail() ?? work.loss?.stderrTail ?? "",
      strayOutput: connection?.strayOutput() ?? [],
      commands: work.commands.map(({ command: { exec, expect }, result }) => ({ exec, expect, ...result })),
    });
    if (verdict.status === "failed") live.evidence.failures.keep(test.id, evidence);
    else live.evidence.captures.keep(test.id, evidence);
    return verdict;
  });
