/**
 * Boxes of namespaces over the host's own root or an unpacked image, without a daemon: the default
 * where no engine is ready. A box lives as long as the PTH that made it; what it wrote lies in its folder under PTH's
 * state.
 */
import type { Method } from "./sandbox/isolation_support.ts";
import { asPthError } from "../core/errors.ts";
import { copyIntoSandbox, copyOutOfSandbox } from "./sandbox/copy.ts";
import { limitable } from "./sandbox/limiter.ts";
import { execIn, spawnIn } from "./sandbox/exec_in_sandbox.ts";
import { forgetRelays, forwardInto, relaysFollow } from "./sandbox/forward.ts";
import { sandboxLeftovers } from "./sandbox/sandbox_leftovers.ts";
import { describe } from "./sandbox/isolation_support.ts";
import { destroySandbox, provisionSandbox } from "./sandbox/provision.ts";
import { sandboxFingerprint } from "./sandbox/fingerprint.ts";
import { inspectSandbox, sandboxHealth } from "./sandbox/inspect_sandbox.ts";
import { goBack, removeSandboxSnapshot, saveSnapshot } from "./sandbox/snapshots.ts";
import { lastEvents } from "./sandbox/sandbox_state.ts";
import { workingMethod } from "./sandbox/working_method.ts";
import { defineRuntime, type EnvironmentRuntime, type Readiness } from "./runtime.ts";
import { compareFingerprints } from "./drift/compare_fingerprints.ts";
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
    provision: (spec, signal) => provisionSandbox(spec, enter, signal),
    async destroy(handle) {
      forgetRelays(handle.environmentId);
      await destroySandbox(handle);
    },
    exec: execIn,
    spawn: spawnIn,
    copyIn: copyIntoSandbox,
    copyOut: copyOutOfSandbox,
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
    dropSnapshot: removeSandboxSnapshot,
    forwardPort: forwardInto,
    healthCheck: sandboxHealth,
    fingerprint: sandboxFingerprint,
    detectDrift: async (handle, baseline) => compareFingerprints(baseline, await sandboxFingerprint(handle)),
    logs: (handle, { tail = 200 } = {}) => lastEvents(handle, tail),
    inspect: inspectSandbox,
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
  leftovers: sandboxLeftovers,
});
