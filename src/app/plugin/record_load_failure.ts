/** Remembers what loading the plugin ended in, for the diagnosis. */
import type { SessionResources } from "../../actors/session_resources.ts";
import { asPthError } from "../../core/errors.ts";

export async function recordLoadFailure<T>(live: SessionResources, loading: Promise<T>): Promise<T> {
  try {
    const loaded = await loading;
    live.plugin.loadFailure = undefined;
    return loaded;
  } catch (error) {
    const failure = asPthError(error);
    // What was refused did not begin: the plugin is as it was.
    if (failure.code !== "NOT_NOW") live.plugin.loadFailure = failure;
    throw error;
  }
}
