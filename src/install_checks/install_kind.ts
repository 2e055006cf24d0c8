/** The interface of kinds of packages: how one is packed, installed and read. */
import type {
  InstalledPackage,
  InstallFault,
  PackageParts,
  PackedPackage,
  SourceServer,
} from "../../machines/model/install_check.ts";
import type { EnvironmentAccess } from "../plugin/environment_access.ts";
import type { ReadableFolder } from "../plugin/readable_folder.ts";
import type { PackageTrees } from "./path_fault.ts";

/** Place of one check inside an environment. */
export interface InstallPlace {
  env: EnvironmentAccess;
  /** Folder of the check, outside of the source; what the kind makes lies in it. */
  folder: string;
  /** The source inside, built; undefined where an archive was given. */
  source: string | undefined;
  /** Archive inside, where one was given. */
  archive: string | undefined;
  signal: AbortSignal;
  /** Copies the files of the plugin, as its repository holds them, into a folder inside that is made for them. */
  copySource(to: string): Promise<void>;
  /** Brings an agent in: words that start it, its Node first where it needs one; undefined where this machine has none. */
  bringAgent(name: string): Promise<string[] | undefined>;
}

/** A package that was installed, with what is asked about it. */
export interface InstalledTrees extends PackageTrees {
  env: EnvironmentAccess;
  /** Folder inside of what was installed. */
  root: string;
  /** Folder inside of the source. */
  sourceRoot: string | undefined;
  /** Names of the tools that its servers list; undefined where none started. */
  tools: readonly string[] | undefined;
  signal: AbortSignal;
}

export interface InstallKind {
  name: string;
  /** Description of the check, for the documentation. */
  summary: string;
  /** Sign of such a package in a source, for people. */
  detectedBy: string;
  /** Programs that the environment needs. */
  needs: readonly string[];
  /** Names of archives that are such a package. */
  archives?: RegExp;
  /** Whether servers are declared as such; else it is one if the source starts one. */
  declaresServers: boolean;
  /** Whether a source is such a package. */
  detects(folder: ReadableFolder): Promise<boolean>;
  /** Servers of the source. @param path Path of the source inside */
  servers(folder: ReadableFolder, path: string): Promise<SourceServer[]>;
  pack(place: InstallPlace): Promise<PackedPackage>;
  install(place: InstallPlace, packed: PackedPackage): Promise<InstalledPackage>;
  /** Faults that the files show. */
  inspect(trees: InstalledTrees): Promise<InstallFault[]>;
  /** Parts that the files show; tools are those that servers list. */
  parts(tree: PackageTrees["installed"]): Promise<Omit<PackageParts, "tools">>;
}

/** Identity with types: the default export of a file in `kinds/`. */
export const defineInstallKind = (definition: InstallKind): InstallKind => definition;

/** Parts of a package that has none. */
export const noPackageParts: Omit<PackageParts, "tools"> = {
  skills: [],
  commands: [],
  agents: [],
  hooks: [],
  programs: [],
};
