/** Fills the slots of runs of the plugin's own tests in a session's environment. */
import { stuckDetectorMachine } from "../../../machines/stuck_detector_machine.ts";
import { insideAccess } from "../../project_tests/inside_access.ts";
import type { WatchedCommand } from "../../stuck/stacks/stack_way.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";
import { lazyProjectTestActors } from "./lazy_project_test_actors.ts";
import { stuckDetectorActors } from "./stuck_detector_actors.ts";

export const projectTestsInSession = (stage: GetSession) => actorsInSession(stage, new Map());

function actorsInSession(stage: GetSession, watched: Map<number, WatchedCommand>) {
  const access = () => {
    const { runtime, info } = stage().environment.require();
    return insideAccess(runtime, info.handle);
  };
  return {
    detector: stuckDetectorMachine.provide({
      actors: stuckDetectorActors(() => ({
        access: access(),
        track: (work) => void stage().tasks.track(work),
        commandOf: (pid) => watched.get(pid),
      })),
    }),
    ...lazyProjectTestActors({
      actor: (work) => promiseActor(stage, (_live, input, signal, tell) => work(input, signal, tell)),
      openPlace: async (run, signal) =>
        (await import("./session_place.ts")).sessionPlace(stage(), run, signal),
      publish: (fact) => stage().progress.publish(fact),
      step: (phase, message, work) => stage().progress.step(phase, message, work),
      access,
      watched,
    }),
  };
}
