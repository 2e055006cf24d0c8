/**
 * Environments that a session starts ahead: the next one like the one it has, so that provisioning anew (after drift, for
 * a clean run) only has to take it. They stand in the session's register and carry its labels, as all that it makes.
 */
import type { EnvironmentHandle, EnvironmentSpec } from "../../../machines/model/environment.ts";
import { errorMessage } from "../../core/errors.ts";
import { log } from "../../platform/log.ts";
import type { EnvironmentRuntime } from "../../runtimes/runtime.ts";
import type { SessionResources } from "../session_resources.ts";

/** Limit for a started environment to show that it works, in ms. */
const answersWithin = 10_000;

/** All but its own name decides what an environment can stand for. */
const keyOf = (runtime: EnvironmentRuntime, { environmentId: _own, ...same }: EnvironmentSpec): string =>
  JSON.stringify([runtime.name, same]);

/** Starts one like this in the background, where starting takes long enough to be worth it. */
export function storeWarmEnvironment(
  live: SessionResources,
  runtime: EnvironmentRuntime,
  spec: EnvironmentSpec,
): void {
  if (live.mode !== "session" || !runtime.abilities.keptReady) return;
  const environmentId = `${live.sessionId}-w${live.environment.nextWarm()}`;
  live.environment.warm.prepare(keyOf(runtime, spec), {
    async make() {
      await live.register.willCreate({ kind: "environment", name: environmentId, runtime: runtime.name });
      return await runtime.provision({ ...spec, environmentId });
    },
    discard: (handle) => remove(live, runtime, handle),
  });
}

/** One that was started ahead and works; undefined where there is none, the reason then is in the log. */
export async function acquireWarmEnvironment(
  live: SessionResources,
  runtime: EnvironmentRuntime,
  spec: EnvironmentSpec,
): Promise<EnvironmentHandle | undefined> {
  const handle = await live.environment.warm.claim(keyOf(runtime, spec));
  if (handle === undefined) return undefined;
  const why = await broken(runtime, handle);
  if (why === undefined) return handle;
  log.debug("an environment that was started ahead does not work", { ...facts(handle), error: why });
  await remove(live, runtime, handle);
  return undefined;
}

async function broken(runtime: EnvironmentRuntime, handle: EnvironmentHandle): Promise<string | undefined> {
  try {
    const { code } = await runtime.exec(handle, ["true"], { signal: AbortSignal.timeout(answersWithin) });
    return code === 0 ? undefined : `a command ended with ${code}`;
  } catch (error) {
    return errorMessage(error);
  }
}

const facts = ({ environmentId, runtime, image }: EnvironmentHandle) => ({ environmentId, runtime, image });

/** Removes a warm environment. A removal that fails is repeated when the session ends, and reported if it fails again. */
async function remove(
  live: SessionResources,
  runtime: EnvironmentRuntime,
  handle: EnvironmentHandle,
): Promise<void> {
  try {
    await runtime.destroy(handle);
    await live.register.removed({ kind: "environment", name: handle.environmentId });
  } catch (error) {
    log.debug("could not remove an environment that was started ahead", {
      ...facts(handle),
      error: errorMessage(error),
    });
    live.environment.abandoned.push({ runtime, info: { handle } });
  }
}
