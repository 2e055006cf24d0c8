/** Changed modes and owners of files and folders. Pure. */
import type { DriftChange, EnvironmentFingerprint } from "../../../machines/model/environment.ts";

/** Tells whether a file runs with its owner's or its group's rights, whoever starts it. */
export const specialMode = /^(\d*[2-7])(\d{3}) /;

type Modes = EnvironmentFingerprint["modes"];

/** Counts of what is new only files that are setuid or setgid: all other modes of it say nothing more than that it is new. */
export function modesChanged(
  { modes: before }: { modes: Modes },
  { modes: after }: { modes: Modes },
): DriftChange[] {
  return Object.entries(after).flatMap(([name, now]): DriftChange[] => {
    const old = before[name];
    if (old === now) return [];
    if (old !== undefined) {
      return [{ group: "mode", change: "changed", name, detail: `${shown(old)} → ${shown(now)}` }];
    }
    return specialMode.test(now) ? [{ group: "mode", change: "added", name, detail: shown(now) }] : [];
  });
}

/** "4755 0:0 (setuid)" */
function shown(mode: string): string {
  const bits = Number(mode.match(specialMode)?.[1]?.at(-1) ?? 0);
  const names = [bits & 4 && "setuid", bits & 2 && "setgid"].filter((name) => typeof name === "string");
  return mode.replace(/^d/, "") + (names.length > 0 ? ` (${names.join(", ")})` : "");
}
