/** The composition root: the harness actor, its slots filled, behind the `Harness` interface. */
import { createActor } from "xstate";
import { SecretVault } from "../actors/stores/secret_vault.ts";
import { createEventBus } from "./event_bus.ts";
import { type ListenerOptions, openListeners } from "./listeners.ts";
import { SessionManager } from "./session/session_manager.ts";
import { provideActors } from "./provide_actors.ts";
import { projectTestRuns } from "./project_tests/project_test_runs.ts";
import type { Harness, PublishedEvent } from "../api/harness.ts";
import { log, type LogFacts, redactLog } from "../platform/log.ts";
import { errorMessage } from "../core/errors.ts";

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
  /** Secrets of runs of projects' own tests, which need no session. */
  const ownSecrets = new SecretVault();
  const stopRedacting = redactLog((text) => ownSecrets.redact.text(stage.hideSecrets(text)));
  const hideEverySecret = (text: string) => ownSecrets.redact.text(stage.hideEverySecret(text));
  const { inspect, ...listeners } = await openListeners(options, hideEverySecret, bus);
  const machine = provideActors(() => stage.live, {
    fingerprints: () => stage.takesFingerprints,
    context: () => stage.context,
    publish: bus.publish,
  });
  const actor = createActor(machine, inspect === undefined ? {} : { inspect });
  stage.attach(actor);
  actor.start();
  const projectTests = projectTestRuns(actor, bus);

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
    runProjectTests(run, options) {
      ownSecrets.hideVariables(run.env);
      return projectTests.run(run, options);
    },
    async rebuildImages(names, options) {
      const built = await (await import("./environment/rebuild_images.ts")).rebuildImages(names, options);
      for (const { durationMs } of built) stage.timed("image build", durationMs);
      return built;
    },
    async close() {
      await projectTests.close();
      await stage.close();
      actor.stop();
      await listeners.close();
      stopRedacting();
    },
  };
}

/** Tests one by one and output piece by piece are many: trace. What a session is about: info. */
function logPublishedEvent(fact: PublishedEvent): void {
  const level = levels[fact.type] ?? "debug";
  if (log.enabled(level)) log[level](fact.type, summaryOf(fact));
}

const levels: { [type in PublishedEvent["type"]]?: "info" | "trace" } = {
  "harness.activated": "info",
  "harness.deactivated": "info",
  "suite.finished": "info",
  "step.output": "trace",
  "test.started": "trace",
  "project_test.finished": "trace",
};

function summaryOf(fact: PublishedEvent): LogFacts {
  switch (fact.type) {
    case "harness.activated":
      return { sessionId: fact.session.sessionId, source: fact.session.source };
    case "step.failed":
      return { phase: fact.phase, error: errorMessage(fact.error) };
    case "environment.provisioned":
      return { handle: fact.environment.handle, reason: fact.environment.reason };
    case "plugin.loaded":
      return { server: fact.plugin.server, tools: fact.plugin.tools.length };
    case "suite.started":
      return { tests: fact.tests.length, workers: fact.workers, why: fact.workersReason };
    case "test.started":
      return { test: fact.test.id, connection: fact.connection };
    case "test.finished": {
      const { id, status, category, durationMs, connection } = fact.result;
      return { test: id, status, category, durationMs, connection };
    }
    default: {
      const { type: _type, ...facts } = fact;
      return facts;
    }
  }
}
