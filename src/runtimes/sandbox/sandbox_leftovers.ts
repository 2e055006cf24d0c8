/** Boxes on this machine, whoever made them. Their processes end by themselves; folders and groups may stay. */
import { uid } from "../../platform/host.ts";
import { isOwnerAlive } from "../../platform/owner.ts";
import type { Leftover } from "../runtime.ts";
import { endTagged } from "../../platform/proc.ts";
import { labelledFolders } from "../shared/state_folder.ts";
import { removeFolder } from "./sandbox_process.ts";
import { dropGroups } from "./limiter.ts";

export async function sandboxLeftovers(): Promise<Leftover[]> {
  return await Promise.all(
    (await labelledFolders("boxes")).map(async ({ path, note }): Promise<Leftover> => ({
      kind: "box",
      name: path,
      sessionId: note.sessionId,
      // A box ends with its maker; this also covers one that was only a try, before there was a session.
      disposable: !(await isOwnerAlive({ pid: note.ownerPid })),
      remove: async () => {
        await endTagged("PTH_ENVIRONMENT", note.environmentId);
        await dropGroups(note.outside);
        await removeFolder(path, uid() !== 0);
      },
    })),
  );
}
