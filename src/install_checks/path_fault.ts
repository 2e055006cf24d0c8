/** Paths that manifests and links of a package name, and what is wrong with them. */
import { posix } from "node:path";
import type { InstallFault } from "../../machines/model/install_check.ts";
import { visibleName } from "../core/text.ts";
import { type PackageTree, resolvedLink } from "./inside_tree.ts";

/** Trees of one package: as its author has it, and as its users get it. */
export interface PackageTrees {
  source: PackageTree | undefined;
  installed: PackageTree;
}

interface NamedPath {
  /** Manifest and key, or file and line. */
  place: string;
  /** Path as it is written. */
  path: string;
  /** Endings that may be left out, as module resolution tries them. */
  endings?: readonly string[];
  /** Way to have a file packed, for the author. */
  packing: string;
}

/**
 * Says what is wrong with a path that has to be in the package; undefined where it is there.
 * A file that only the source has was not packed; one that nobody has is a wrong path.
 */
export function pathFault(
  { place, path, endings = [""], packing }: NamedPath,
  { source, installed }: PackageTrees,
): InstallFault | undefined {
  const shown = visibleName(path);
  if (/^(?:\/|[A-Za-z]:[\\/]|~\/|file:\/\/\/)/.test(path)) {
    return {
      code: "absolute-path",
      place,
      message: `${shown} is a path of the author's machine`,
      next: "Name the file by its path in the package",
    };
  }
  const name = posix.normalize(path).replace(/\/$/, "");
  if (name === ".." || name.startsWith("../")) {
    return {
      code: "outside-package",
      place,
      message: `${shown} leads out of the package, which its users have alone`,
      next: "Move the file into the package, and name it there",
    };
  }
  const candidates = endings.map((ending) => name + ending);
  if (candidates.some((candidate) => installed.has(candidate))) return undefined;
  const like = likeCase(candidates, installed);
  if (like !== undefined) return wrongCase(place, shown, like);
  const packed = candidates.find((candidate) => source?.has(candidate));
  if (packed !== undefined) {
    return {
      code: "not-packed",
      place,
      message: `${visibleName(packed)} is in the source and not in the package`,
      next: packing,
    };
  }
  const likeSource = source === undefined ? undefined : likeCase(candidates, source);
  if (likeSource !== undefined) return wrongCase(place, shown, likeSource);
  return {
    code: "wrong-path",
    place,
    message: `${shown} is not there`,
    next: "Correct the path, or add the file",
  };
}

const likeCase = (candidates: readonly string[], tree: PackageTree): string | undefined =>
  candidates.map((candidate) => tree.likeCase(candidate)).find((like) => like !== undefined);

const wrongCase = (place: string, shown: string, like: string): InstallFault => ({
  code: "case-mismatch",
  place,
  message: `${shown} is called ${visibleName(like)}: Linux tells the cases of letters apart`,
  next: `Write ${visibleName(like)}`,
});

/** Links of the source that lead out of it: whoever installs the package has not what they lead to. */
export function linkFaults(
  source: PackageTree,
  isPacked: (path: string) => boolean = () => true,
): InstallFault[] {
  return [...source.entries].flatMap(([path, { kind, target = "" }]) =>
    kind !== "link" || resolvedLink(path, target) !== undefined || !isPacked(path) ? [] : [{
      code: "outside-package" as const,
      place: path,
      message: `the link leads to ${visibleName(target)}, out of the package`,
      next: "Put a copy of the file in its place",
    }]
  );
}
