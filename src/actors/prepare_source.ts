/** Slot `session.prepare_source`: the copy that the session works on (PTH design §3.2). */
import type { SessionSource } from "../../machines/model/session.ts";
import type { SessionInput } from "../../machines/session_machine.ts";
import { prepareSource as prepare } from "../session/prepare_source.ts";
import { promiseActor, type Stage } from "./promise_actor.ts";

export const prepareSource = (stage: Stage) =>
  promiseActor<SessionSource, SessionInput>(stage, (live, { sessionId, mode, force }, signal) => {
    live.mode = mode;
    return live.step(
      "source",
      "copying the source",
      async () => {
        live.source = await prepare(live.target, {
          sessionId,
          mode,
          force,
          register: live.register,
          signal,
          onStep: live.messages("source"),
        });
        return live.source;
      },
      (source) =>
        source.branch === undefined ? `scratch folder ${source.worktree}` : `branch ${source.branch}`,
    );
  });
