/**
 * The session machine as the exported runner fills it: PTH's own machines and actors, on plain processes, in the plugin's
 * own folder. What finds, copies and removes sources is left out: a CI job brings its checkout along.
 */
import { environmentMachine, pluginMachine, sessionMachine } from "../../machines/mod.ts";
import type { EnvironmentConfig } from "../../machines/model/environment.ts";
import type { EnvironmentInfo, SessionSource } from "../../machines/model/session.ts";
import type { PluginPlan } from "../../machines/model/plugin.ts";
import type { PluginInput } from "../../machines/plugin_machine.ts";
import type { SessionEnd, SessionInput } from "../../machines/session_machine.ts";
import { destroy } from "../actors/environment/destroy.ts";
import type { SessionResources } from "../actors/session_resources.ts";
import { buildPluginActor, installPluginActor } from "../actors/plugin/plugin_actors.ts";
import { performOperation } from "../actors/environment/perform_operation.ts";
import { closingActor, type GetSession, promiseActor } from "../actors/promise_actor.ts";
import host from "../runtimes/host.ts";
import { providePoolActors, provideSuiteActors } from "../app/provide_suite_actors.ts";

interface ReleaseInput {
  sessionId: string;
  source: SessionSource | undefined;
  environment: EnvironmentInfo | undefined;
  keep: boolean;
}

/** The session machine with every slot that a run in place needs. */
export function openRunnerSession(stage: GetSession) {
  const pool = providePoolActors(stage);
  const plan = promiseActor<PluginPlan, PluginInput>(
    stage,
    (live) => Promise.resolve(live.secrets.redact.value(live.plugin.requirePlan())),
  );
  const plugin = pluginMachine.provide({
    actors: { plan, install: installPluginActor(stage), build: buildPluginActor(stage), pool },
  });
  const environment = environmentMachine.provide({
    actors: {
      provision: promiseActor<EnvironmentInfo, { config: Partial<EnvironmentConfig> }>(
        stage,
        (live, _input, signal) => provision(live, signal),
      ),
      // After failures PTH looks whether the environment is still there.
      perform: performOperation(stage),
      destroy: destroy(stage),
    },
  });
  const suite = provideSuiteActors(stage);
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
    },
  });
}

/**
 * Plain processes, in the plugin's folder as it lies there: a job's checkout is the job's own, is thrown away with it, and
 * may be built already. So the runtime brings no copy of it.
 */
async function provision(live: SessionResources, signal: AbortSignal): Promise<EnvironmentInfo> {
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
  const state = await runtime.inspect(handle);
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
  return info;
}
