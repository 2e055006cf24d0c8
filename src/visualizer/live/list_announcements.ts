/** Sessions on this host that can be watched. */
import { log } from "../../platform/log.ts";
import type { Announcement } from "../../registry/announcement.ts";
import { liveFolder, removeDeadAnnouncements, scanLiveSessions } from "../../registry/live_folder.ts";

/** Lists live announcements, the longest-running first, and removes those of processes that were killed. */
export async function listAnnouncements(folder: string = liveFolder()): Promise<Announcement[]> {
  const { living, dead } = await scanLiveSessions(folder);
  await removeDeadAnnouncements(
    dead,
    (path, error) => log.debug("cannot remove an announcement of a killed process", { path, error }),
  );
  return living;
}
