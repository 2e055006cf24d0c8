/** Remembers what loading the plugin ended in, for the diagnosis. */
import type { LiveSession } from "../actors/live_session.ts";
import { asPthError } from "../errors.ts";

export async function noteLoadFailure<T>(live: LiveSession, loading: Promise<T>): Promise<T> {
  try {
    const loaded = await loading;
    live.loadFailure = undefined;
    return loaded;
  } catch (error) {
    live.loadFailure = asPthError(error);
    throw error;
  }
}
