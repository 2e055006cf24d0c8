/** Access of an install to the trees of earlier ones. */
import type { CopyLimits } from "../../../machines/model/environment_operations.ts";
import type { ConfinedFolder } from "../../platform/confined/open_confined.ts";
import type { TreeStore } from "./tree_store.ts";

/** Way of trees between an environment and the store, and what is allowed in this environment. */
export interface TreeAccess {
  store: TreeStore;
  /** Name of the runtime: what was made without isolation is not used in an isolated environment. */
  runtime: string;
  /** The plugin's folder on the host, which nothing inside can change. */
  source: ConfinedFolder;
  /** A tree that was kept may be taken. */
  reads: boolean;
  /**
   * The tree may be kept: nothing of any plugin has run in this environment yet, so nothing but this install can have had
   * a hand in it.
   */
  keeps: boolean;
  copyIn(hostPath: string, envPath: string, signal?: AbortSignal): Promise<void>;
  copyOut(envPath: string, hostPath: string, limits: CopyLimits): Promise<void>;
}
