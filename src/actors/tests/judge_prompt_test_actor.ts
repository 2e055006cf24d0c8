/** Slot `prompt_test.judge`: judges the sessions of an agent that worked on a test's prompt. */
import type { PromptJudgeInput } from "../../../machines/model/prompt_work.ts";
import type { Verdict } from "../../../machines/model/verdict.ts";
import { errorMessage } from "../../core/errors.ts";
import { judgePromptTest } from "../../testing/judge/judge_prompt_test.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";

export const judgePromptTestActor = (stage: GetSession) =>
  promiseActor<Verdict, PromptJudgeInput>(stage, (live, { planned: { test }, work }) => {
    const { error, ...rest } = work;
    const tools = [...live.plugin.tools, ...live.plugin.moreTools].map(({ name }) => name);
    const seen = { ...rest, ...(error === undefined ? {} : { error: errorMessage(error) }) };
    return Promise.resolve(live.secrets.redact.value(judgePromptTest(test, seen, tools)));
  });
