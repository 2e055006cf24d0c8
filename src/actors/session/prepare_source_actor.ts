/** Slot `session.prepare_source`: the copy that the session works on. */
import type { SessionSource } from "../../../machines/model/session.ts";
import type { SessionInput } from "../../../machines/session_machine.ts";
import { type PrepareOptions, prepareSource as prepare } from "../../session/prepare_source.ts";
import { definedOnly } from "../../core/values.ts";
import { lazyFunction } from "../../core/lazy_function.ts";
import { branchOf } from "../../git/session_branch.ts";
import type { SessionResources } from "../session_resources.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";

export const prepareSourceActor = (stage: GetSession) =>
  promiseActor<SessionSource, SessionInput>(stage, (live, { sessionId, mode, force }, signal) => {
    return live.progress.step(
      "source",
      "copying the source",
      async () => {
        const { register, code: { resume } } = live;
        const options = { sessionId, force, register, signal, onStep: live.progress.messages("source") };
        live.code.source = resume ? await resumed(resume, options) : await prepare(live.target, {
          ...options,
          mode,
          ...takingAll(live),
          ...definedOnly({ branch: live.target.branch }),
        });
        return live.code.source;
      },
      (source) =>
        source.branch === undefined ? `scratch folder ${source.worktree}` : `branch ${source.branch}`,
    );
  });

const resumed = lazyFunction(async () =>
  (await import("../../session/resume/resume_source.ts")).resumeSource
);

/** Makes uncommitted changes the session's first commit, if the user asked for it. */
const takingAll = ({ target, mode, secrets }: SessionResources): Pick<PrepareOptions, "commitUncommitted"> =>
  target.uncommitted !== true || mode === "run" ? {} : {
    async commitUncommitted(source, paths) {
      const { commitUncommitted } = await import("../../fixes/commit_uncommitted.ts");
      const long = [...secrets.values.values()].filter(({ length }) => length >= 8);
      return await commitUncommitted(branchOf(source)!, paths, long);
    },
  };
