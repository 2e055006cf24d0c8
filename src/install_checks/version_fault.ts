/** Versions that two files of a package tell of it. */
import type { InstallFault } from "../../machines/model/install_check.ts";
import { visibleName } from "../core/text.ts";

interface NamedVersion {
  /** File and key. */
  place: string;
  version: unknown;
}

/** The second one's fault, where both are texts and mean different versions; `1.0rc1` is `1.0.0-rc.1`. */
export function versionFault(first: NamedVersion, second: NamedVersion): InstallFault[] {
  const [one, other] = [first.version, second.version];
  if (typeof one !== "string" || typeof other !== "string" || plain(one) === plain(other)) return [];
  return [{
    code: "wrong-version",
    place: second.place,
    message: `says ${visibleName(other)}, and ${first.place} says ${visibleName(one)}`,
    next: "Write the same version in both, or in one of them alone",
  }];
}

const plain = (version: string): string => {
  const [, numbers = "", rest = ""] = /^v?((?:\d+\.)*\d+)(.*)$/i.exec(version.trim()) ?? [, "", version];
  return numbers.replace(/(?:\.0)+$/, "") + rest.toLowerCase().replaceAll(/[-_.]/g, "");
};
