/** A session in the plugin's own folder: loaded, with its tests, ready to run them. */
import { platform as osName } from "node:os";
import { createActor } from "xstate";
import type { EnvironmentInfo, ProvisionedEnvironment, SessionSource } from "../../machines/model/session.ts";
import { makeResources, type SessionResources } from "../actors/session_resources.ts";
import { sendRequest } from "../app/send_request.ts";
import { type SessionParts, testStores } from "../app/session/session_parts.ts";
import { testCommands } from "../app/tests/test_commands.ts";
import { testRunSteps } from "../app/tests/test_run_steps.ts";
import type { PublishedEvent } from "../api/harness.ts";
import type { SessionRegister } from "../registry/register.ts";
import type { CiSettings } from "../export/ci/ci_settings.ts";
import { environmentMachine, pluginMachine, sessionMachine, testRunMachine } from "../../machines/mod.ts";
import type { EnvironmentConfig } from "../../machines/model/environment.ts";
import type { PluginPlan } from "../../machines/model/plugin.ts";
import type { PluginInput } from "../../machines/plugin_machine.ts";
import type { SessionEnd, SessionInput } from "../../machines/session_machine.ts";
import { destroy } from "../actors/environment/destroy.ts";
import { buildPluginActor, installPluginActor } from "../actors/plugin/plugin_actors.ts";
import { performOperation } from "../actors/environment/perform_operation.ts";
import { closingActor, type GetSession, promiseActor } from "../actors/promise_actor.ts";
import host from "../runtimes/host.ts";
import { openConnection } from "../actors/connection/open_connection.ts";
import { suiteSlots } from "../actors/tests/suite_slots.ts";
import { providePoolActors, provideSuiteActors } from "../app/provide_suite_actors.ts";

export interface CiSession {
  tests: ReturnType<typeof testCommands>;
  /** Installs, builds and starts the plugin. @throws {PthError} `INSTALL_FAILED`, `BUILD_FAILED`, `START_FAILED` … */
  load(signal: AbortSignal): Promise<void>;
  /** Reads the tests of a file or folder. @throws {PthError} `INVALID_TEST_FILE`, `TARGET_NOT_FOUND` */
  useTests(path: string): Promise<void>;
  /** Stops what runs; safe at every moment. */
  end(): Promise<void>;
}

/** Opens it; `settings` are those of this machine (`fillSettings`). */
export async function openCiSession(
  settings: CiSettings,
  secrets: ReadonlyMap<string, string>,
  follow: (fact: PublishedEvent) => unknown,
): Promise<CiSession> {
  const live = liveSession(settings, secrets, follow);
  const actor = createActor(openRunnerSession(() => live, () => context), {
    input: { sessionId: live.sessionId, target: {}, mode: "run", force: false },
  });
  const opened = new Promise<void>((resolve) => void actor.on("session.opened", () => resolve()));
  const ended = new Promise<void>((resolve) => void actor.on("session.ended", () => resolve()));
  actor.start();
  await opened;
  const context: SessionParts = {
    live,
    actor,
    on: () => () => {},
    callers: new Map(),
    ...testStores(),
  };
  const tests = testCommands(context);
  return {
    tests,
    async load(signal) {
      await sendRequest(actor, { type: "session.provision", config: {} }, { signal });
      await sendRequest(actor, { type: "session.load", load: {} }, { signal });
    },
    async useTests(path) {
      await tests.use(path);
      if (osName() !== "linux") leaveOutWhatNeedsLinux(context);
    },
    async end() {
      actor.send({ type: "session.end", keep: false });
      await ended;
    },
  };
}

function liveSession(
  { plan, args, variables }: CiSettings,
  secrets: ReadonlyMap<string, string>,
  follow: (fact: PublishedEvent) => unknown,
): SessionResources {
  const sessionId = `ci-${crypto.randomUUID().slice(0, 8)}`;
  const live = makeResources({
    sessionId,
    target: { args, secrets: Object.fromEntries(secrets) },
    register: noRegister,
    publish: follow,
  });
  live.code.source = {
    sessionId,
    name: plan.name,
    ...(plan.version === undefined ? {} : { version: plan.version }),
    source: plan.source,
    worktree: plan.folder,
    subfolder: "",
    notes: [],
  };
  live.plugin.plan = plan;
  live.plugin.variables = variables;
  return live;
}

/** Skips the check for leftover processes where there is no Linux: they are found in /proc. */
function leaveOutWhatNeedsLinux(context: SessionParts): void {
  const left = context.tests.all.filter((test) => test.check !== "leaves_no_process");
  if (left.length === context.tests.all.length) return;
  context.tests.all = left;
  context.live.progress.note(`The check leaves_no_process is left out: it needs Linux, this is ${osName()}.`);
}

/** A CI job is thrown away whole: nothing has to be found again after a kill. */
const noRegister: SessionRegister = {
  sessionId: "ci",
  path: "",
  willCreate: () => Promise.resolve(),
  created: () => Promise.resolve(),
  removed: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

interface ReleaseInput {
  sessionId: string;
  source: SessionSource | undefined;
  environment: EnvironmentInfo | undefined;
  keep: boolean;
}

/** The session machine with every slot that a run in place needs. */
function openRunnerSession(stage: GetSession, contextOf: () => SessionParts) {
  const pool = providePoolActors(stage, openConnection(stage));
  const plan = promiseActor<PluginPlan, PluginInput>(
    stage,
    (live) => Promise.resolve(live.secrets.redact.value(live.plugin.requirePlan())),
  );
  const plugin = pluginMachine.provide({
    actors: { plan, install: installPluginActor(stage), build: buildPluginActor(stage), pool },
  });
  const environment = environmentMachine.provide({
    actors: {
      provision: promiseActor<ProvisionedEnvironment, { config: Partial<EnvironmentConfig> }>(
        stage,
        (live, _input, signal) => provision(live, signal),
      ),
      // After failures PTH looks whether the environment is still there.
      perform: performOperation(stage),
      destroy: destroy(stage),
    },
  });
  const suite = provideSuiteActors(stage, suiteSlots(stage));
  return sessionMachine.provide({
    actors: {
      prepareSource: promiseActor<SessionSource, SessionInput>(
        stage,
        (live) => Promise.resolve(live.code.source!),
      ),
      release: closingActor<SessionEnd, ReleaseInput>(stage, async (live) => {
        await live.tasks.settled();
        return { branch: undefined, branchKept: false, commits: 0, leftBehind: [], kept: [] };
      }),
      environment,
      plugin,
      suite,
      testRunTask: testRunMachine.provide({ actors: testRunSteps(contextOf) }),
    },
  });
}

/**
 * Plain processes, in the plugin's folder as it lies there: a job's checkout is the job's own, is thrown away with it, and
 * may be built already. So the runtime brings no copy of it.
 */
async function provision(live: SessionResources, signal: AbortSignal): Promise<ProvisionedEnvironment> {
  const runtime = host.create();
  const environmentId = `${live.sessionId}-e${++live.environment.count}`;
  const place = await runtime.provision({
    environmentId,
    sessionId: live.sessionId,
    tier: 1,
    env: { PTH_SESSION: live.sessionId },
    resources: {},
  }, signal);
  const folder = live.code.source!.worktree;
  const handle = { ...place, sourcePath: folder };
  const state = await runtime.inspect(handle, { tools: false });
  const mount = {
    method: "same folder",
    hostPath: folder,
    envPath: folder,
    writable: true,
    latency: "none",
  } as const;
  const config = { runtime: "host", tier: 1 } as const;
  const info = { handle, state, mount, reason: "this machine, in the plugin's own folder", config };
  live.environment.current = { runtime, info, baseline: undefined };
  live.progress.publish({ type: "environment.provisioned", environment: info });
  return { environment: info, tierAsked: false };
}
