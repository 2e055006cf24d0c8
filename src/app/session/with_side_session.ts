/** Side session: a copy of the current one with an environment and a server of its own, removed when its work is done. */
import { createActor } from "xstate";
import type { SessionTarget } from "../../../machines/model/session.ts";
import type { Session } from "../../api/harness.ts";
import { createEventBus } from "../event_bus.ts";
import { SessionManager } from "./session_manager.ts";
import { provideActors } from "../provide_actors.ts";

/**
 * Does `work` in a side session, whose facts are not published: `work` reports all there is. Afterwards everything is
 * removed, even after a failure.
 * @throws {PthError} what starting a session fails with, and what `work` throws
 */
export async function withSideSession<Result>(
  target: SessionTarget,
  work: (session: Session) => Promise<Result>,
  { signal }: { signal?: AbortSignal } = {},
): Promise<Result> {
  const bus = createEventBus();
  const stage = new SessionManager(bus, {
    keepsHistory: false,
    openSideSession: withSideSession,
  });
  const actor = createActor(provideActors(() => stage.live, {
    fingerprints: () => false,
    context: () => stage.context,
    publish: bus.publish,
  }));
  stage.attach(actor);
  actor.start();
  try {
    await stage.start(target, { mode: "run", ...(signal === undefined ? {} : { signal }) });
    return await work(stage.commands());
  } finally {
    await stage.end({});
    actor.stop();
  }
}
