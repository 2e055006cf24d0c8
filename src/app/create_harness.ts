/** The composition root: the harness actor, its slots filled, behind the `Harness` interface. */
import { createActor } from "xstate";
import { createEventBus } from "./event_bus.ts";
import { type ListenerOptions, openListeners } from "./listeners.ts";
import { logPublishedEvent } from "./log_published_event.ts";
import { SessionManager } from "./session/session_manager.ts";
import { provideActors } from "./provide_actors.ts";
import type { Harness } from "../api/harness.ts";
import { redactLog } from "../platform/log.ts";

export interface HarnessOptions extends ListenerOptions {
  /** False for runs that the plugin's history of flakiness must not know: another distribution is no chance. Default: true. */
  keepsHistory?: boolean;
}

/** @throws {PthError} `INVALID_INPUT` when the recording cannot be written, or the inspector is not of this machine */
export async function createHarness(
  { keepsHistory = true, ...options }: HarnessOptions = {},
): Promise<Harness> {
  const bus = createEventBus();
  bus.on(logPublishedEvent);
  const stage = new SessionManager(bus, {
    keepsHistory,
    openSideSession: async (...args) =>
      await (await import("./session/with_side_session.ts")).withSideSession(...args),
  });
  const hideSecrets = (text: string) => stage.hideSecrets(text);
  const stopRedacting = redactLog(hideSecrets);
  const { inspect, ...listeners } = await openListeners(options, (text) => stage.hideEverySecret(text), bus);
  const machine = provideActors(() => stage.live, {
    fingerprints: () => stage.takesFingerprints,
    commands: () => stage.loopCommands,
    context: () => stage.context,
  });
  const actor = createActor(machine, inspect === undefined ? {} : { inspect });
  stage.attach(actor);
  actor.start();

  return {
    get state() {
      return actor.getSnapshot().value as Harness["state"];
    },
    announced: listeners.announced,
    on: bus.on,
    startSession: (target, options = {}) => stage.start(target, options),
    resumeSession: async (request, options = {}) =>
      (await import("./session/resume_session.ts")).resumeSession(stage, request, options),
    endSession: (options = {}) => stage.end(options),
    session: () => stage.commands(),
    // Rarely asked for, and not needed to start.
    preflight: async (target) => (await import("./environment/run_preflight.ts")).runPreflight(target),
    async rebuildImages(names, options) {
      const built = await (await import("./environment/rebuild_images.ts")).rebuildImages(names, options);
      for (const { durationMs } of built) stage.timed("image build", durationMs);
      return built;
    },
    async close() {
      await stage.close();
      actor.stop();
      await listeners.close();
      stopRedacting();
    },
  };
}
