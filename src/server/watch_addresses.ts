/** Addresses at which a person can watch the session, for the answers of tools that begin one. */
import { errorMessage } from "../core/errors.ts";
import type { Harness } from "../api/harness.ts";
import { log } from "../platform/log.ts";
import type { Launcher } from "../visualizer/live/launcher.ts";

export interface WatchAddresses {
  /** A new one-time address; undefined where this session cannot be watched. Never rejects. */
  next(harness: Pick<Harness, "announced">): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Listens from the first time that an address is asked for. */
export function watchAddresses({ allowSend }: { allowSend: boolean }): WatchAddresses {
  let launcher: Promise<Launcher> | undefined;
  const open = async (id: string) => {
    const { openLauncher } = await import("../visualizer/live/launcher.ts");
    return await openLauncher(["--session", id, ...(allowSend ? ["--allow-send"] : [])]);
  };
  return {
    async next(harness) {
      const id = await harness.announced;
      if (id === undefined) return undefined;
      try {
        return (await (launcher ??= open(id))).address();
      } catch (error) {
        log.warn(`Cannot give an address to watch the session at: ${errorMessage(error)}`);
        launcher = undefined;
        return undefined;
      }
    },
    async close() {
      try {
        await (await launcher)?.close();
      } catch (error) {
        log.debug("there was no address to close", { error });
      }
    },
  };
}
