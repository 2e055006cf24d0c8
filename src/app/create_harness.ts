/** The composition root: the harness actor, its slots filled, behind the `Harness` interface. */
import { createActor } from "xstate";
import { createFactBus } from "./fact_bus.ts";
import { type ListenerOptions, openListeners } from "./listeners.ts";
import { logFact } from "./log_facts.ts";
import { SessionStage } from "./session/session_stage.ts";
import { wireMachines } from "./wire_machines.ts";
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
  const bus = createFactBus();
  bus.on(logFact);
  const stage = new SessionStage(bus, { keepsHistory });
  const hideSecrets = (text: string) => stage.hideSecrets(text);
  const stopRedacting = redactLog(hideSecrets);
  const { inspect, ...listeners } = await openListeners(options, (text) => stage.hideEverySecret(text), bus);
  const machine = wireMachines(() => stage.live, {
    fingerprints: () => stage.takesFingerprints,
    commands: () => stage.loopCommands,
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
