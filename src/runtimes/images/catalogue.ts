/** The base images that PTH knows, one folder under `images/` each (PTH design §4, "Base Images"). */
import { PthError } from "../../errors.ts";

export interface ImageDefinition {
  /** Folder under `images/`. */
  name: string;
  /** For people. */
  distro: string;
  /** What the Dockerfile starts from where a registry answers. */
  from: string;
  /** How to make the base without a registry, from the host's own apt mirror. */
  bootstrap?: { family: "debian" | "ubuntu"; suite: string };
}

export const catalogue: readonly ImageDefinition[] = [
  {
    name: "debian12",
    distro: "Debian 12",
    from: "debian:12",
    bootstrap: { family: "debian", suite: "bookworm" },
  },
  {
    name: "debian13",
    distro: "Debian 13",
    from: "debian:13",
    bootstrap: { family: "debian", suite: "trixie" },
  },
  {
    name: "ubuntu2404",
    distro: "Ubuntu 24.04 LTS",
    from: "ubuntu:24.04",
    bootstrap: { family: "ubuntu", suite: "noble" },
  },
  { name: "fedora", distro: "Fedora", from: "fedora:latest" },
];

/** Image of an environment that asks for none. */
export const defaultImage = "debian12";

const prefix = "pth-base-";

/** The engine's tag of a base image: `debian12` → `pth-base-debian12`. */
export const tagOf = (name: string): string => `${prefix}${name}`;

/**
 * What was asked for, as a definition: both `debian12` and `pth-base-debian12` name it.
 * @throws {PthError} `INVALID_INPUT` naming the images that there are.
 */
export function resolveImage(asked: string): ImageDefinition {
  const found = findImage(asked);
  if (found) return found;
  const names = catalogue.map((image) => image.name).join(", ");
  throw new PthError("INVALID_INPUT", `Cannot use image ${asked}: there is no such base image`, {
    next: [`Use one of: ${names}`],
  });
}

function findImage(asked: string): ImageDefinition | undefined {
  const name = asked.replace(/:latest$/, "").replace(new RegExp(`^${prefix}`), "");
  return catalogue.find((image) => image.name === name);
}

/** Whether PTH knows how to build it. */
export const isBaseImage = (asked: string): boolean => findImage(asked) !== undefined;

/** What an engine calls an image: the tag of a base image, or a reference of the user's own as it stands. */
export const imageReference = (asked: string): string => {
  const found = findImage(asked);
  return found ? tagOf(found.name) : asked;
};
