import type { ImageKind } from "./catalogue.ts";

export interface ImageInfo {
  name: string;
  kind: ImageKind;
  /** The engine's tag; of a virtual machine its name. */
  tag: string;
  distro: string;
  /** Whether the engine has it, or for a virtual machine the image folder. */
  present: boolean;
  /** True where no engine answers that could tell. */
  unknown?: true;
  /** Id of the image, its digest. */
  digest?: string;
  /** ISO time of the build. */
  createdAt?: string;
  ageDays?: number;
  sizeMB?: number;
  /** True when its Dockerfile or the scripts that make it changed since. */
  stale?: boolean;
  /** Whether it could be built here, as far as can be told without a registry. */
  buildable: boolean;
  /** How it was built, or would be, or why it cannot. */
  how: string;
  /** Folder of the unpacked root file system (for the sandbox), where there is one. */
  unpacked?: string;
  /** Size of the golden states made from it (virtual machines). */
  goldenMB?: number;
}
