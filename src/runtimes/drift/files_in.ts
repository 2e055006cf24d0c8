/** Files, modes, links and capabilities of a fingerprint, from the lines that `find` and `getcap` print. */
import type { EnvironmentFingerprint } from "../../../machines/model/environment.ts";

export type FileFacts = Pick<EnvironmentFingerprint, "files" | "modes" | "links" | "capabilities">;

/** State of a file that the image has and the environment does not. */
export const deleted = "deleted";

/** For `find -printf`: type, mode, owner, size, time of change, path and, after a tab, where a link leads. */
export const fileFormat = "%y %m %U:%G %s %T@ %p\\t%l";

const entryForm = /^(\S) (\d+) (\S+) (\S+ \S+) (.*)\t(.*)$/s;

/**
 * Describes files; of a folder only mode and owner count: it changes with each file in it. Of a link only where it leads.
 * @param entries Of `fileFormat` @param inside From the path that `find` saw to the path in the environment
 */
export function filesIn(
  entries: readonly string[],
  inside: (path: string) => string = (path) => path,
): Omit<FileFacts, "capabilities"> {
  const facts = { files: {}, modes: {}, links: {} } as Record<
    "files" | "modes" | "links",
    Record<string, string>
  >;
  for (const entry of entries) {
    const [, type, mode, owner, mark, seen, target] = entry.match(entryForm) ?? [];
    if (seen === undefined) continue; // the second line of a name with a line break
    const path = inside(seen);
    if (type === "l") facts.links[path] = target!;
    // An overlay marks a deleted file by a device 0/0, which cannot be opened.
    else if (type === "c" && mode === "0") facts.files[path] = deleted;
    else {
      facts.modes[path] = `${type === "d" ? "d" : ""}${mode} ${owner}`;
      if (type !== "d") facts.files[path] = mark!;
    }
  }
  return facts;
}

/** `/path cap_x=ep`, or of an older getcap `/path = cap_x+ep`. */
const capabilityForm = /^(\/.*?) (?:= )?((?:cap_|=)\S.*)$/;

export function capabilitiesIn(
  lines: readonly string[],
  inside: (path: string) => string = (path) => path,
): Record<string, string> {
  const found = lines.map((line) => line.match(capabilityForm) ?? []).filter((parts) => parts.length > 0);
  return Object.fromEntries(found.map(([, path, names]) => [inside(path!), names!]));
}
