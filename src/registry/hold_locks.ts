/** Locks of plugins that one command holds for several sessions at the same time. */
import { releaseLock, takeLock } from "./lock.ts";
import { openRegister } from "./register.ts";

/**
 * Takes a lock for each folder. A register of their own names them, so that `pth clean` finds those of a command that was
 * killed.
 * @returns what releases them
 * @throws {PthError} `SESSION_LOCKED` where another session holds one; none is held then
 */
export async function holdLocks(
  folders: readonly string[],
  { force }: { force: boolean },
): Promise<() => Promise<void>> {
  const sessionId = crypto.randomUUID().slice(0, 8);
  const register = await openRegister(sessionId);
  const begun: string[] = [];
  const release = async () => {
    for (const folder of begun) {
      await releaseLock(folder, sessionId);
      await register.removed({ kind: "lock", name: folder });
    }
    await register.close();
  };
  try {
    for (const folder of new Set(folders)) {
      await register.willCreate({ kind: "lock", name: folder });
      begun.push(folder);
      await takeLock(folder, { sessionId, force });
    }
    return release;
  } catch (error) {
    await release();
    throw error;
  }
}
