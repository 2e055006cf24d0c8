import { setTimeout as sleep } from "node:timers/promises";
import { containerLabels } from "./container.ts";
import { type Engine, engineError, engineStatusCode } from "./engine.ts";

/** Time for which containers that are being removed may hold a volume, in ms. */
const heldMs = 30_000;

/** Removes the volumes of an environment once no container holds them; none is no error. */
export async function removeVolumes(engine: Engine, environmentId: string): Promise<void> {
  try {
    const filters = { label: [`${containerLabels.environment}=${environmentId}`] };
    const { Volumes } = await engine.listVolumes({ filters });
    for (const { Name } of Volumes ?? []) await removeVolume(engine, Name);
  } catch (error) {
    throw engineError(
      error,
      `Cannot remove the source of environment ${environmentId}`,
      "RUNTIME_UNAVAILABLE",
    );
  }
}

export async function removeVolume(engine: Engine, name: string): Promise<void> {
  const deadline = performance.now() + heldMs;
  for (;;) {
    try {
      return await engine.getVolume(name).remove();
    } catch (error) {
      const status = engineStatusCode(error);
      if (status === 404) return;
      // A container that was replaced is removed in the background.
      if (status !== 409 || performance.now() > deadline) throw error;
    }
    await sleep(50);
  }
}
