/** Detects in a plugin's source that it needs more than a plain container: one file each in `tier_signs/`. */
import type { Tier } from "../../machines/model/environment.ts";

export interface TierDetector {
  /** Description of what such a plugin does: "starts and stops services". */
  what: string;
  /** Lowest tier in which that works; 1 is listed as a reason without raising the tier. */
  tier: Tier;
  /** Commands, as their words: `systemctl start nginx`. */
  command?: RegExp;
  /** Paths that are opened, written or named as a constant. */
  path?: RegExp;
  /** Whether a path counts only where the code around it writes. */
  written?: boolean;
  /** Code without its strings and comments; found all over, hence global. */
  code?: RegExp;
  /** Names of what is imported. */
  module?: RegExp;
}

/** Identity with types: the default export of a file in `tier_signs/`. */
export const defineTierDetector = (sign: TierDetector): TierDetector => sign;
