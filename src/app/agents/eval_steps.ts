/** Slot of the machine that runs evals: reads them from the session's source, and plans those that are asked for. */
import { join } from "node:path";
import type { EvalRequest, PlannedEvals } from "../../../machines/model/eval_request.ts";
import { promiseActor } from "../../actors/promise_actor.ts";
import { chooseCases } from "../../agents/evals/choose_cases.ts";
import { planCase } from "../../agents/evals/plan_case.ts";
import { readEvals } from "../../agents/evals/read_evals.ts";
import type { GetSession } from "../../actors/promise_actor.ts";

export const evalSteps = (stage: GetSession) => ({
  plan: promiseActor<PlannedEvals, { evals: EvalRequest }>(stage, async (live, { evals }) => {
    const { worktree, subfolder } = live.code.source!;
    const suite = await readEvals(join(worktree, subfolder));
    const isolated = live.environment.require().runtime.abilities.isolated;
    const cases = chooseCases(suite.cases, evals.filter).map((each) => planCase(each, evals, isolated));
    const warnings = evals.by === "pth" && suite.mocked.length > 0
      ? [`mocks are not used: ${suite.mocked.join(", ")} answered as the plugin has it`]
      : [];
    return { cases, warnings };
  }),
});
