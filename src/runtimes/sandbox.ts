/**
 * Boxes of namespaces over the host's own root or an unpacked image, without a daemon: the default
 * where no engine is ready. A sandbox lives as long as the PTH that made it; what it wrote lies in its folder under PTH's
 * state.
 */
import type { Method } from "./sandbox/isolation_support.ts";
import { asPthError } from "../core/errors.ts";
import { copyIntoSandbox, copyOutOfSandbox } from "./sandbox/copy.ts";
import { dropGroups, limitable } from "./sandbox/limiter.ts";
import { execIn, requireRunningSandbox, spawnIn } from "./sandbox/exec_in_sandbox.ts";
import { describe } from "./sandbox/isolation_support.ts";
import { destroySandbox, provisionSandbox } from "./sandbox/provision.ts";
import { sandboxFingerprint } from "./sandbox/fingerprint.ts";
import { inspectSandbox, pidsInside, sandboxHealth } from "./sandbox/inspect_sandbox.ts";
import { goBack, removeSandboxSnapshot, saveSnapshot } from "./sandbox/snapshots.ts";
import { lastEvents, sandboxOf } from "./sandbox/sandbox_state.ts";
import { workingMethod } from "./sandbox/working_method.ts";
import { defineRuntime, type EnvironmentRuntime, type Leftover, type Readiness } from "./runtime.ts";
import { compareFingerprints } from "./drift/compare_fingerprints.ts";
import { bringSource, unpackBy } from "./shared/source/bring_source.ts";
import { uid } from "../platform/host.ts";
import { endTagged, isOwnerAlive } from "../platform/proc.ts";
import { labelledFolders } from "./shared/state_folder.ts";
import { removeFolder } from "./sandbox/sandbox_process.ts";
import type { EnvironmentHandle } from "../../machines/model/environment.ts";
import { keepRelay, openRelay, relayTo, requireCarrier } from "./network/relay.ts";
import { forwardHostPort, sharedHostPort } from "./network/forward_host_port.ts";
import { forwardSharedPort } from "./network/forward_shared_port.ts";

/** @param enter Build sandboxes with this program only; default: the best that works. */
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
          emptyAtFirst: handle.sourcePath,
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
    async forwardHostPort(handle, hostPort, signal) {
      await requireRunningSandbox(handle);
      if (sandboxOf(handle).spec.network !== "none") return sharedHostPort(hostPort);
      return await forwardHostPort((command) => spawnIn(handle, command, { cwd: "/" }), hostPort, signal);
    },
    healthCheck: sandboxHealth,
    fingerprint: sandboxFingerprint,
    detectDrift: async (handle, baseline) => compareFingerprints(baseline, await sandboxFingerprint(handle)),
    logs: (handle, { tail = 200 } = {}) => lastEvents(handle, tail),
    inspect: inspectSandbox,
  };
}

async function probe(image?: string): Promise<Readiness> {
  try {
    return { ready: true, reason: `sandboxes work here: ${describe(await workingMethod(image))}` };
  } catch (error) {
    const { code, message, context } = asPthError(error, "Cannot create sandboxes");
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

async function sandboxLeftovers(): Promise<Leftover[]> {
  return await Promise.all(
    (await labelledFolders("boxes")).map(async ({ path, note }): Promise<Leftover> => ({
      kind: "box",
      name: path,
      sessionId: note.sessionId,
      // A sandbox ends with its maker; this also covers one that was only a try, before there was a session.
      disposable: !(await isOwnerAlive({ pid: note.ownerPid })),
      remove: async () => {
        await endTagged("PTH_ENVIRONMENT", note.environmentId);
        await dropGroups(note.outside);
        await removeFolder(path, uid() !== 0);
      },
    })),
  );
}

/** Boxes that a relay leads into, by environment, in their present life. */
const present = new Map<string, EnvironmentHandle>();

/** @throws {PthError} `ENVIRONMENT_LOST`, `PORT_TAKEN`, `UNSUPPORTED` without network and Node */
async function forwardInto(
  handle: EnvironmentHandle,
  envPort: number,
  hostPort?: number,
): Promise<number> {
  await requireRunningSandbox(handle);
  const { environmentId } = handle;
  if (sandboxOf(handle).spec.network === "none") return await relayInto(handle, envPort, hostPort);
  return await forwardSharedPort(environmentId, envPort, hostPort ?? envPort, () => pidsInside(handle));
}

/** A rollback has given a sandbox another life: relays lead into that one. */
function relaysFollow(next: EnvironmentHandle): void {
  if (present.has(next.environmentId)) present.set(next.environmentId, next);
}

const forgetRelays = (environmentId: string): void => void present.delete(environmentId);

/** A process inside carries what is said, one for each connection. */
async function relayInto(handle: EnvironmentHandle, envPort: number, hostPort?: number): Promise<number> {
  const { environmentId } = handle;
  present.set(environmentId, handle);
  // Servers that follow each other on a port share one relay.
  const known = hostPort === undefined ? relayTo(environmentId, envPort) : undefined;
  if (known) return known.port;
  await requireCarrier((command) => execIn(handle, command), envPort);
  const target = {
    address: () => Promise.resolve(undefined),
    spawn: (command: readonly string[]) => spawnIn(present.get(environmentId) ?? handle, command),
  };
  const relay = await openRelay(target, envPort, hostPort ?? 0);
  keepRelay(environmentId, envPort, relay);
  return relay.port;
}
