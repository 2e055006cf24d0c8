/** Access of an install to the trees of earlier ones. */
import type { Readable } from "node:stream";
import type { CopyLimits } from "../../../machines/model/environment_operations.ts";
import type { EnvironmentHandle } from "../../../machines/model/environment.ts";
import type { ConfinedFolder } from "../../platform/confined/open_confined.ts";
import type { EnvironmentRuntime } from "../../runtimes/runtime.ts";
import { unpackBy } from "../../runtimes/shared/source/bring_source.ts";
import type { PlaceFacts } from "./place_facts.ts";
import type { ResolvedPackage } from "./resolve_version.ts";
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
  /** Facts that an earlier install in this environment found; they stay as they are. */
  known?: InstallFacts | undefined;
  noteFacts?(facts: InstallFacts): void;
  /** Unpacks a tar archive inside, into a folder that is made for it. @throws {PthError} `COPY_FAILED` */
  unpack(archive: Readable, folder: string): Promise<void>;
  copyOut(envPath: string, hostPath: string, limits: CopyLimits): Promise<void>;
}

const inNewFolder = 'mkdir -p -- "$0" && exec "$@"';

/** Unpacks archives by the `tar` of the environment in which `spawn` starts programs, within its limits, as they are read. */
export const unpackWith =
  (spawn: Parameters<typeof unpackBy>[0]): TreeAccess["unpack"] => (archive, folder) =>
    unpackBy((words) => spawn(["sh", "-c", inNewFolder, folder, ...words]), archive, folder);

/** Ways into an environment and out of it. */
export const treeWays = (
  runtime: EnvironmentRuntime,
  handle: EnvironmentHandle,
): Pick<TreeAccess, "runtime" | "unpack" | "copyOut"> => ({
  runtime: runtime.name,
  unpack: unpackWith((words) => runtime.spawn(handle, words, { cwd: "/" })),
  copyOut: (envPath, hostPath, limits) => runtime.copyOut(handle, envPath, hostPath, limits),
});

/** Facts about an environment and a package, from before anything of the package is there. */
export interface InstallFacts {
  facts: PlaceFacts;
  /** Answer of the registry about an `npm:` target; undefined for folders, and where it was not reached. */
  resolved: ResolvedPackage | "unknown" | undefined;
}
