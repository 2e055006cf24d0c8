/** Slot `test.judge_step`: weighs a step as soon as it was made, and takes out of its answer what later steps need. */
import type { StepObservation } from "../../../machines/model/observation.ts";
import type { JudgeStepInput } from "../../../machines/test_machine.ts";
import { judgeStep as judge } from "../../testing/judge/judge_step.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";

export const judgeStepActor = (stage: GetSession) =>
  promiseActor<StepObservation, JudgeStepInput>(stage, (live, input) => {
    const { planned: { test }, rules: { strict }, index, seen, commands } = input;
    const { action } = seen;
    const tool = action.kind === "call"
      ? [...live.plugin.tools, ...live.plugin.moreTools].find(({ name }) => name === action.tool)
      : undefined;
    return Promise.resolve(
      live.secrets.redact.value(
        judge({ test, index, seen, commands, ...(tool === undefined ? {} : { tool }) }, { strict }),
      ),
    );
  });
