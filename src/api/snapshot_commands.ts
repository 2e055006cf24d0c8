/** Requests about snapshots of the environment. */
import type { SnapshotInfo } from "./requests.ts";
import type { RequestOptions } from "./request_options.ts";

export interface SnapshotCommands {
  take(tag: string, options?: RequestOptions): Promise<{ snapshot: string; holds: string }>;
  /** The oldest first, also those of environments that are gone. */
  list(): SnapshotInfo[];
  /** Forgets a snapshot and frees its room. @throws {PthError} `NO_SUCH_SNAPSHOT` */
  drop(snapshot: string, options?: RequestOptions): Promise<void>;
  /**
   * Goes back, and loads the plugin again where it was loaded. With `recover`, a rollback that fails is made up for by a new
   * environment with the plugin built from the branch; `recovered` then says why.
   * @throws {PthError} `NO_SUCH_SNAPSHOT`, `ROLLBACK_FAILED`, `NOT_NOW` while tests run, what loading fails with
   */
  rollBack(
    snapshot: string,
    options?: RequestOptions & { recover?: boolean },
  ): Promise<{ reloaded: boolean; recovered?: string }>;
}
