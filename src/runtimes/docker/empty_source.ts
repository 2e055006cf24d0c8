/** Removes what a container's source folder holds before the container goes: an engine takes five times as long for it. */
import { errorMessage } from "../../core/errors.ts";
import { withDeadline } from "../../core/waiting.ts";
import { log } from "../../platform/log.ts";
import type { ContainerExec } from "./exec.ts";
import { execInContainer } from "./exec_in_container.ts";

/** Limit in ms: what the plugin left running may hold it up, and the engine removes the rest. */
const limitMs = 5000;

/**
 * Never rejects, as the engine removes the volume in any case. A machine with systemd has the right to mount what is the
 * host's below that folder: nothing is removed there from inside.
 */
export async function emptySource(place: ContainerExec): Promise<void> {
  if (place.systemd) return;
  // The folder itself is where the volume is mounted: it stays, and `rm` says so.
  const emptied = execInContainer(place, ["rm", "-rf", "--", place.sourcePath], { cwd: "/" }).catch((error) =>
    log.debug("the source could not be removed from inside", { error: errorMessage(error) })
  );
  await withDeadline(emptied, limitMs);
}
