/**
 * Boxes of namespaces over the host's own root or an unpacked image, without a daemon (PTH design §5.1): the default
 * where no engine is ready. A box lives as long as the PTH that made it; what it wrote lies in its folder under PTH's
 * state.
 */
import type { Method } from "./sandbox/method.ts";
import { asPthError } from "../core/errors.ts";
import { copyIntoBox, copyOutOfBox } from "./sandbox/copy.ts";
import { limitable } from "./sandbox/cgroup.ts";
import { execIn, spawnIn } from "./sandbox/enter.ts";
import { forgetRelays, forwardInto, relaysFollow } from "./sandbox/forward.ts";
import { boxesLeft } from "./sandbox/leftovers.ts";
import { describe } from "./sandbox/method.ts";
import { destroyBox, provisionBox } from "./sandbox/provision.ts";
import { fingerprintOf } from "./sandbox/fingerprint.ts";
import { healthOf, inspectBox } from "./sandbox/report.ts";
import { forgetSnapshot, goBack, saveSnapshot } from "./sandbox/snapshots.ts";
import { lastEvents } from "./sandbox/state.ts";
import { workingMethod } from "./sandbox/working_method.ts";
import { defineRuntime, type EnvironmentRuntime, type Readiness } from "./runtime.ts";
import { compareFingerprints } from "./drift/drift.ts";
import { bringSource, unpackBy } from "./shared/source/bring_source.ts";

/** @param enter Build boxes with this program only; default: the best that works. */
export function createSandbox(enter?: Method["enter"]): EnvironmentRuntime {
  return {
    name: "sandbox",
    abilities: {
      snapshots: "disk",
      systemd: false,
      kernel: false,
      isolated: true,
      sharesNetwork: true,
      outlivesOwner: false,
      limits: { ...limitable(), disk: true },
    },
    provision: (spec, signal) => provisionBox(spec, enter, signal),
    async destroy(handle) {
      forgetRelays(handle.environmentId);
      await destroyBox(handle);
    },
    exec: execIn,
    spawn: spawnIn,
    copyIn: copyIntoBox,
    copyOut: copyOutOfBox,
    mountSource: (handle, hostPath, envPath) =>
      bringSource(
        {
          environmentId: handle.environmentId,
          exec: (command, options) => execIn(handle, command, options),
          unpack: (archive, folder) =>
            unpackBy((words) => spawnIn(handle, words, { cwd: "/" }), archive, folder),
        },
        hostPath,
        envPath,
      ),
    snapshot: saveSnapshot,
    async rollback(handle, snapshot) {
      const next = await goBack(handle, snapshot);
      relaysFollow(next);
      return next;
    },
    dropSnapshot: forgetSnapshot,
    forwardPort: forwardInto,
    healthCheck: healthOf,
    fingerprint: fingerprintOf,
    detectDrift: async (handle, baseline) => compareFingerprints(baseline, await fingerprintOf(handle)),
    logs: (handle, { tail = 200 } = {}) => lastEvents(handle, tail),
    inspect: inspectBox,
  };
}

async function probe(image?: string): Promise<Readiness> {
  try {
    return { ready: true, reason: `boxes work here: ${describe(await workingMethod(image))}` };
  } catch (error) {
    const { code, message, context } = asPthError(error, "Cannot make sandboxes");
    const missing = code === "IMAGE_MISSING" ? { code } : {};
    const why = context.tried?.at(-1);
    return {
      ready: false,
      reason: why ? `${message} (${why})` : message,
      ...missing,
      next: context.next ?? [],
    };
  }
}

export default defineRuntime({
  name: "sandbox",
  summary:
    "an overlay over the host's root (or an unpacked base image) in namespaces of its own; the host's data is masked; network: the host's, or none",
  needs: "Linux; bubblewrap, or util-linux alone; root or not",
  tiers: [1],
  rank: 2,
  networks: ["none", "host"],
  probe,
  create: () => createSandbox(),
  leftovers: boxesLeft,
});
