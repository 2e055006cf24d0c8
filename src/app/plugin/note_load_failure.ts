/** Remembers what loading the plugin ended in, for the diagnosis. */
import type { LiveSession } from "../../actors/live_session.ts";
import { asPthError } from "../../core/errors.ts";

export async function noteLoadFailure<T>(live: LiveSession, loading: Promise<T>): Promise<T> {
  try {
    const loaded = await loading;
    live.loadFailure = undefined;
    return loaded;
  } catch (error) {
    const failure = asPthError(error);
    // What was refused did not begin: the plugin is as it was.
    if (failure.code !== "NOT_NOW") live.loadFailure = failure;
    throw error;
  }
}
