/** The heading that a test stands under: its tool, else what kind of test it is. */
import type { Tier } from "../../../machines/model/environment.ts";

export const groupOf = ({ tool, tier }: { tool?: string; tier: Tier }): string =>
  tool ?? (tier === 1 ? "server" : "scenarios");
