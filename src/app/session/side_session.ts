/** A session beside the one on stage: a copy, an environment and a server of its own, gone when its work is done. */
import { createActor } from "xstate";
import type { Target } from "../../../machines/model/session.ts";
import type { SessionCommands } from "../../api/harness.ts";
import { createFactBus } from "../fact_bus.ts";
import { SessionStage } from "./session_stage.ts";
import { wireMachines } from "../wire_machines.ts";

/**
 * Nobody hears its facts: what there is to tell, `work` tells. Whatever happens, nothing of it is left.
 * @throws {PthError} what starting a session fails with, and what `work` throws
 */
export async function withSideSession<Result>(
  target: Target,
  work: (session: SessionCommands) => Promise<Result>,
  { signal }: { signal?: AbortSignal } = {},
): Promise<Result> {
  const stage = new SessionStage(createFactBus(), { keepsHistory: false });
  const actor = createActor(wireMachines(() => stage.live, {
    fingerprints: () => false,
    commands: () => stage.loopCommands,
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
