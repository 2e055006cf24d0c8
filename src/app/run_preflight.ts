/** `pth preflight` and `pth_preflight`: the checks of `src/session/preflight.ts` with this machine's runtimes and images. */
import type { PreflightCheck } from "../harness.ts";
import { registry as runtimes } from "../runtimes/_registry.ts";
import { listImages } from "../runtimes/images.ts";
import { preflight } from "../session/preflight.ts";

export const runPreflight = (target: string | undefined): Promise<PreflightCheck[]> =>
  preflight({ runtimes, images: describeImages, ...(target === undefined ? {} : { target }) });

async function describeImages() {
  return (await listImages()).map(({ name, present, how, ageDays, stale }) => ({
    name,
    present,
    detail: present ? `built ${ageDays ?? 0} days ago${stale ? ", its definition changed since" : ""}` : how,
  }));
}
