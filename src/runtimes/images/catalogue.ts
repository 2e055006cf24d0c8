/** The base images that PTH knows, one folder under `images/` each. */
import { PthError } from "../../core/errors.ts";
import { didYouMean } from "../../core/did_you_mean.ts";

/**
 * Purpose of an image: plain containers and sandboxes (tier 1), containers with systemd (2), virtual machines
 * (3).
 */
export type ImageKind = "container" | "systemd" | "vm";

export interface ImageDefinition {
  name: string;
  kind: ImageKind;
  /** Folder under `images/`; the same for all kinds of one distribution. */
  folder: string;
  /** For people. */
  distro: string;
  /** Image that the Dockerfile starts from where a registry answers. */
  from: string;
  /** Arguments to make the base without a registry, from the host's own apt mirror. */
  bootstrap?: { family: "debian" | "ubuntu"; suite: string };
}

type Distribution = Omit<ImageDefinition, "name" | "kind">;

const distributions: readonly Distribution[] = [
  {
    folder: "debian12",
    distro: "Debian 12",
    from: "debian:12",
    bootstrap: { family: "debian", suite: "bookworm" },
  },
  {
    folder: "debian13",
    distro: "Debian 13",
    from: "debian:13",
    bootstrap: { family: "debian", suite: "trixie" },
  },
  {
    folder: "ubuntu2404",
    distro: "Ubuntu 24.04 LTS",
    from: "ubuntu:24.04",
    bootstrap: { family: "ubuntu", suite: "noble" },
  },
  { folder: "fedora", distro: "Fedora", from: "fedora:latest" },
];

const suffixes: Record<ImageKind, string> = { container: "", systemd: "-systemd", vm: "-vm" };

/** `debian12`, `debian12-systemd`, `debian12-vm`, and so on. */
export const catalogue: readonly ImageDefinition[] = (["container", "systemd", "vm"] as const).flatMap(
  (kind) =>
    distributions.map((distribution) => ({
      name: `${distribution.folder}${suffixes[kind]}`,
      kind,
      ...distribution,
    })),
);

/** The image of a kind that stands for what was asked: a matrix of `debian12,debian13` fits every runtime. */
export function imageOfKind(asked: string, kind: ImageKind): ImageDefinition | undefined {
  const found = findImage(asked);
  return found && catalogue.find((image) => image.folder === found.folder && image.kind === kind);
}

/** Image of an environment that asks for none. */
export const defaultImage = "debian12";

const prefix = "pth-base-";

/** The engine's tag of a base image: `debian12` → `pth-base-debian12`. */
export const tagOf = (name: string): string => `${prefix}${name}`;

/**
 * Finds the definition of a requested image: both `debian12` and `pth-base-debian12` name it.
 * @throws {PthError} `INVALID_INPUT` naming the images that there are.
 */
export function resolveImage(asked: string): ImageDefinition {
  const found = findImage(asked);
  if (found) return found;
  throw new PthError("INVALID_INPUT", `Cannot use image ${asked}: there is no such base image`, {
    next: otherImages(asked),
  });
}

/** Steps after an unknown name: the most similar one, and all that there are. */
export function otherImages(asked: string, kind?: ImageKind): string[] {
  const names = catalogue.filter((image) => kind === undefined || image.kind === kind).map(({ name }) =>
    name
  );
  const near = didYouMean(asked, names);
  return [...(near === undefined ? [] : [`Did you mean ${near}?`]), `Use one of: ${names.join(", ")}`];
}

function findImage(asked: string): ImageDefinition | undefined {
  const name = asked.replace(/:latest$/, "").replace(new RegExp(`^${prefix}`), "");
  return catalogue.find((image) => image.name === name);
}

/** Kind of a base image; undefined for a reference of the user's own. */
export const imageKind = (asked: string): ImageKind | undefined => findImage(asked)?.kind;

/** `debian12` for all kinds of that distribution; undefined for a reference of the user's own. */
export const imageFolder = (asked: string): string | undefined => findImage(asked)?.folder;

/** Whether PTH knows how to build it. */
export const isBaseImage = (asked: string): boolean => findImage(asked) !== undefined;

/** Reference of an image for an engine: the tag of a base image, or the user's own reference unchanged. */
export const imageReference = (asked: string): string => {
  const found = findImage(asked);
  return found ? tagOf(found.name) : asked;
};

/** Linux 6.1 runs with two; 6.12 panics with two under QEMU's emulation, and newer ones are not trusted further. */
export const emulatedCpus = ({ folder }: Pick<ImageDefinition, "folder">): number =>
  folder === "debian12" ? 2 : 1;

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
  /** Whether it could be built here, as far as can be determined without a registry. */
  buildable: boolean;
  /** Way in which it was or would be built, or the reason why it cannot be. */
  how: string;
  /** Folder of the unpacked root file system (for the sandbox), where there is one. */
  unpacked?: string;
  /** Size of the golden states made from it (virtual machines). */
  goldenMB?: number;
}
