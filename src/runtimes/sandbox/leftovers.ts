/** Boxes on this machine, whoever made them. Their processes end by themselves; folders and groups may stay. */
import { uid } from "../../platform/host.ts";
import { isAlive } from "../../platform/owner.ts";
import type { Leftover } from "../runtime.ts";
import { endTagged } from "../../platform/proc.ts";
import { notedFolders } from "../shared/state_folder.ts";
import { removeFolder } from "./box.ts";
import { dropGroups } from "./cgroup.ts";

export async function boxesLeft(): Promise<Leftover[]> {
  return await Promise.all((await notedFolders("boxes")).map(async ({ path, note }): Promise<Leftover> => ({
    kind: "box",
    name: path,
    sessionId: note.sessionId,
    // A box ends with its maker; this also covers one that was only a try, before there was a session.
    disposable: !(await isAlive({ pid: note.ownerPid })),
    remove: async () => {
      await endTagged("PTH_ENVIRONMENT", note.environmentId);
      await dropGroups(note.outside);
      await removeFolder(path, uid() !== 0);
    },
  })));
}
