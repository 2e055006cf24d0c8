/** `pth preflight` and `pth_preflight`: the checks of `src/session/preflight.ts` with this machine's runtimes and images. */
import type { PreflightCheck } from "../../api/harness.ts";
import { registry as runtimes } from "../../runtimes/_registry.ts";
import { listImages } from "../../runtimes/images.ts";
import { preflight } from "../../session/preflight.ts";
import { count } from "../../core/text.ts";

export const runPreflight = (target: string | undefined): Promise<PreflightCheck[]> =>
  preflight({ runtimes, images: describeImages, ...(target === undefined ? {} : { target }) });

const daysAgo = (days: number): string => days === 0 ? "today" : `${count(days, "day")} ago`;

async function describeImages() {
  return (await listImages()).map(({ name, present, how, ageDays = 0, stale = false }) => ({
    name,
    present,
    stale,
    detail: present ? `built ${daysAgo(ageDays)}${stale ? ", its definition changed since" : ""}` : how,
  }));
}
