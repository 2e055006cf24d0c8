/** Removes what a container holds before the container goes: an engine takes five times as long for it. */
import { errorMessage } from "../../core/errors.ts";
import { withDeadline } from "../../core/waiting.ts";
import { log } from "../../platform/log.ts";
import { containerHome, containerSourcePath } from "./container.ts";
import type { ContainerExec } from "./exec.ts";
import { execInContainer } from "./exec_in_container.ts";

/** Limit in ms: what the plugin left running may hold it up, and the engine removes the rest. */
const limitMs = 5000;

/**
 * Removes the source, and the home with the caches of package managers. Never rejects, as the engine removes
 * all of it in any case. A machine with systemd has the right to mount what is the host's there: nothing is removed then.
 */
export async function emptyContainer(place: ContainerExec): Promise<void> {
  if (place.systemd) return;
  // The source's folder is where its volume is mounted: it stays, and `rm` says so.
  const words = ["rm", "-rf", "--", containerSourcePath, containerHome];
  const emptied = execInContainer(place, words, { cwd: "/" }).catch((error) =>
    log.debug("a container could not be emptied from inside", { error: errorMessage(error) })
  );
  await withDeadline(emptied, limitMs);
}
