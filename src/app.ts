/** The composition root: the harness actor, its slots filled, behind the `Harness` interface. */
import { createActor, type InspectionEvent } from "xstate";
import { createFactBus } from "./app/fact_bus.ts";
import { logFact } from "./app/log_facts.ts";
import { SessionStage } from "./app/session_stage.ts";
import { wireMachines } from "./app/wire_machines.ts";
import type { Harness } from "./harness.ts";
import { redactLog } from "./platform/log.ts";
import { version } from "./platform/version.ts";
import { createRecorder } from "./visualizer/recording/recorder.ts";

export interface HarnessOptions {
  /** Records there what every actor does, as JSON lines (docs/recording.md). */
  recordFile?: string;
  /** Lets others watch: which command this is, and what it has under test, as its user named it. */
  announce?: { command: string; target?: string };
  /** False for runs that the plugin's history of flakiness must not know: another distribution is no chance. Default: true. */
  keepsHistory?: boolean;
}

/** So many events and states are remembered for who begins to watch later: the last hundreds of calls. */
const remembered = 2000;

/** @throws {PthError} `INVALID_INPUT` when the recording cannot be written */
export async function createHarness(
  { recordFile, announce, keepsHistory = true }: HarnessOptions = {},
): Promise<Harness> {
  const bus = createFactBus();
  bus.on(logFact);
  const stage = new SessionStage(bus, { keepsHistory });
  const hideSecrets = (text: string) => stage.hideSecrets(text);
  const stopRedacting = redactLog(hideSecrets);
  const pth = await version();
  const recorder = recordFile === undefined && announce === undefined ? undefined : createRecorder({
    redact: (text) => stage.hideEverySecret(text),
    remember: announce === undefined ? 0 : remembered,
    about: () => ({ pth, ...announce }),
  });
  if (recordFile !== undefined) await recorder?.writeTo(recordFile);
  const machine = wireMachines(() => stage.live, {
    fingerprints: () => stage.takesFingerprints,
    commands: () => stage.loopCommands,
  });
  const inspect = recorder && { inspect: (event: InspectionEvent) => recorder.inspect(event) };
  const actor = createActor(machine, { ...inspect });
  stage.attach(actor);
  actor.start();

  return {
    get state() {
      return actor.getSnapshot().value as Harness["state"];
    },
    on: bus.on,
    startSession: (target, options = {}) => stage.start(target, options),
    resumeSession: async (request, options = {}) =>
      (await import("./app/resume_session.ts")).resumeSession(stage, request, options),
    endSession: (options = {}) => stage.end(options),
    session: () => stage.commands(),
    // Rarely asked for, and not needed to start.
    preflight: async (target) => (await import("./app/run_preflight.ts")).runPreflight(target),
    async rebuildImages(names, options) {
      const built = await (await import("./app/rebuild_images.ts")).rebuildImages(names, options);
      for (const { durationMs } of built) stage.timed("image build", durationMs);
      return built;
    },
    async close() {
      await stage.end({});
      actor.stop();
      await recorder?.close();
      stopRedacting();
    },
  };
}
