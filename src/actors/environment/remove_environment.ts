/** Removes an environment together with its companion services. */
import type { AbandonedEnvironment } from "../stores/environment_holder.ts";

/** A service that cannot be removed keeps no environment. @throws what failed; where both did, the environment's error */
export async function removeEnvironment(
  { runtime, services, info: { handle } }: AbandonedEnvironment,
): Promise<void> {
  try {
    await services?.stop();
  } finally {
    await runtime.destroy(handle);
  }
}
