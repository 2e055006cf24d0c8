/** Slot `environment.provision`: chooses a runtime, makes the environment, seeds it. */
import type {
  EnvironmentConfig,
  EnvironmentHandle,
  EnvironmentSpec,
} from "../../../machines/model/environment.ts";
import type { EnvironmentInfo, ProvisionedEnvironment } from "../../../machines/model/session.ts";
import { errorMessage } from "../../core/errors.ts";
import { chooseRuntime } from "../../runtimes/choose_runtime.ts";
import type { EnvironmentRuntime } from "../../runtimes/runtime.ts";
import { loggedRuntime } from "../../runtimes/logged_runtime.ts";
import type { CompanionServices } from "../../runtimes/fixtures/companion_services.ts";
import { fixturesOf, preparedFixtures } from "./fixtures.ts";
import type { SessionResources } from "../session_resources.ts";
import { type GetSession, promiseActor, withRetriedSource } from "../promise_actor.ts";
import { removeEnvironment } from "./remove_environment.ts";
import { acquireWarmEnvironment, storeWarmEnvironment } from "./warm_environments.ts";

interface ProvisionInput {
  config: Partial<EnvironmentConfig>;
}

export const provisionActor = (stage: GetSession, options: { fingerprints: () => boolean }) =>
  promiseActor<ProvisionedEnvironment, ProvisionInput>(stage, (live, input, signal) =>
    live.progress.step(
      "provision",
      "provisioning the environment",
      () =>
        withRetriedSource(
          live,
          "provision",
          () => provisionEnvironment(live, input.config, signal, options.fingerprints()),
          signal,
        ),
      ({ environment: { handle } }) => `${handle.runtime}, ${handle.image}`,
    ));

async function provisionEnvironment(
  live: SessionResources,
  asked: Partial<EnvironmentConfig>,
  signal: AbortSignal,
  takeFingerprint: boolean,
): Promise<ProvisionedEnvironment> {
  const { registry } = await import("../../runtimes/_registry.ts");
  const choice = await chooseRuntime(
    registry,
    asked,
    async () => await (await import("../session/recommendation.ts")).recommendation(live),
  );
  const config: EnvironmentConfig = { runtime: "auto", ...asked, tier: choice.tier };
  const runtime = loggedRuntime(choice.definition.create());
  const fixtures = await preparedFixtures(live, config, runtime);
  const spec = specFor(live, config);
  const handle = await acquireWarmEnvironment(live, runtime, spec) ??
    await makeAnew(live, runtime, spec, signal);
  const { services, seed } = fixturesOf(live, runtime, handle, fixtures);
  try {
    const bring = () => runtime.mountSource(handle, live.code.source!.worktree, handle.sourcePath);
    // The source changes nothing that an inspection tells; what else is put in may.
    const seeded = config.fixtures !== undefined || (live.target.copies ?? []).length > 0;
    // Versions of programs are told in sessions; in a scripted run a server would wait for them.
    const inspect = () => runtime.inspect(handle, { tools: takeFingerprint });
    const looking = seeded ? undefined : inspect();
    // First: fixtures may lie in the source folder, and setup scripts use what it holds.
    const [mount] = await allOver(bring(), looking);
    await seed(signal);
    for (const { hostPath, envPath } of live.target.copies ?? []) {
      await runtime.copyIn(handle, hostPath, envPath);
    }
    const [state, baseline] = await allOver(
      looking ?? inspect(),
      takeFingerprint ? runtime.fingerprint(handle) : undefined,
    );
    const { advisory } = runtime.abilities;
    const { reason } = choice;
    const info: EnvironmentInfo = { handle, state, mount, reason, config, ...(advisory ? { advisory } : {}) };
    signal.throwIfAborted();
    live.environment.current = { runtime, info, baseline, services };
    live.environment.resources = undefined;
    storeWarmEnvironment(live, runtime, spec);
    live.progress.publish({ type: "environment.provisioned", environment: info });
    // In a session, the answer tells it.
    if (info.advisory && live.mode === "run") live.progress.note(info.advisory);
    return { environment: info, tierAsked: !choice.automatic };
  } catch (error) {
    await discard(live, runtime, handle, services);
    throw error;
  }
}

async function makeAnew(
  live: SessionResources,
  runtime: EnvironmentRuntime,
  spec: EnvironmentSpec,
  signal: AbortSignal,
): Promise<EnvironmentHandle> {
  await live.register.willCreate({ kind: "environment", name: spec.environmentId, runtime: runtime.name });
  return await runtime.provision(spec, signal, live.progress.output("provision"));
}

/** Removes what could not be made ready. What stays is in the register, for `pth clean`; the first error is the news. */
async function discard(
  live: SessionResources,
  runtime: EnvironmentRuntime,
  handle: EnvironmentHandle,
  services: CompanionServices,
): Promise<void> {
  try {
    await removeEnvironment({ runtime, services, info: { handle } });
    await live.register.removed({ kind: "environment", name: handle.environmentId });
  } catch (error) {
    live.progress.note(
      `Could not remove environment ${handle.environmentId} (pth clean tries again): ${errorMessage(error)}`,
    );
  }
}

function specFor(live: SessionResources, config: EnvironmentConfig): EnvironmentSpec {
  live.environment.count++;
  return {
    environmentId: `${live.sessionId}-e${live.environment.count}`,
    sessionId: live.sessionId,
    tier: config.tier,
    env: { PTH_SESSION: live.sessionId },
    resources: config.resources ?? {},
    ...(config.network === undefined || config.network === "default" ? {} : { network: config.network }),
    ...(config.baseImage === undefined ? {} : { image: config.baseImage.replace(/^pth-base-/, "") }),
  };
}

/** Results of work that goes on side by side. Rejects only once all of it is over, so that nothing is removed under it. */
async function allOver<One, Other>(
  ...work: [Promise<One>, Promise<Other> | undefined]
): Promise<[One, Other | undefined]> {
  await Promise.allSettled(work);
  return await Promise.all(work);
}
