/** Tells where the calls of a session's plugin land. */
import type { CallPlace } from "../../testing/generate/excluded_tools.ts";
import type { SessionResources } from "../session_resources.ts";

/** A sandbox, a container and a machine have copies of the data; a server behind a URL is somebody's. */
export function callPlace({ environment: { current }, secrets, target }: SessionResources): CallPlace {
  if (current === undefined || target.url !== undefined) return { isolated: false, harmless: false };
  return {
    isolated: current.runtime.abilities.isolated,
    harmless: current.info.config.network === "none" || secrets.values.size === 0,
  };
}
