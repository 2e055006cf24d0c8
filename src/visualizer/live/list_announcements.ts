/** Which processes of PTH can be watched now. */
import { log } from "../../platform/log.ts";
import type { Announcement } from "../../registry/announcement.ts";
import { liveFolder, removeDeadAnnouncements, scanLiveSessions } from "../../registry/live_folder.ts";

/** Those that live, the longest-running first. What killed ones left is removed on the way. */
export async function listAnnouncements(folder: string = liveFolder()): Promise<Announcement[]> {
  const { living, dead } = await scanLiveSessions(folder);
  await removeDeadAnnouncements(
    dead,
    (path, error) => log.debug("cannot remove what nobody announces any more", { path, error }),
  );
  return living;
}
