/** Slot `session.prepare_source`: the copy that the session works on. */
import type { SessionSource } from "../../../machines/model/session.ts";
import type { SessionInput } from "../../../machines/session_machine.ts";
import { type PrepareOptions, prepareSource as prepare } from "../../session/prepare_source.ts";
import { commitUncommitted } from "../../fixes/commit_uncommitted.ts";
import { definedOnly } from "../../core/values.ts";
import { branchOf } from "../../git/session_branch.ts";
import { resumeSource } from "../../session/resume/resume_source.ts";
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
        live.code.source = resume ? await resumeSource(resume, options) : await prepare(live.target, {
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

/** Makes uncommitted changes the session's first commit, if the user asked for it. */
const takingAll = ({ target, mode, secrets }: SessionResources): Pick<PrepareOptions, "commitUncommitted"> =>
  target.uncommitted !== true || mode === "run" ? {} : {
    commitUncommitted: (source, paths) =>
      commitUncommitted(
        branchOf(source)!,
        paths,
        [...secrets.values.values()].filter(({ length }) => length >= 8),
      ),
  };
