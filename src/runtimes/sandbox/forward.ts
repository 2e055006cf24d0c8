/** Ports of a box on the host's loopback: those of the host itself, or, where the box has no network, a relay into it. */
import type { EnvironmentHandle } from "../../../machines/model/environment.ts";
import { openRelay, requireCarrier } from "../network/relay.ts";
import { keepRelay, relayTo } from "../network/relays.ts";
import { forwardSharedPort } from "../network/forward_shared_port.ts";
import { execIn, requireRunningSandbox, spawnIn } from "./exec_in_sandbox.ts";
import { pidsInside } from "./inspect_sandbox.ts";
import { sandboxOf } from "./sandbox_state.ts";

/** Boxes that a relay leads into, by environment, in their present life. */
const present = new Map<string, EnvironmentHandle>();

/** @throws {PthError} `ENVIRONMENT_LOST`, `PORT_TAKEN`, `UNSUPPORTED` without network and Node */
export async function forwardInto(
  handle: EnvironmentHandle,
  envPort: number,
  hostPort?: number,
): Promise<number> {
  await requireRunningSandbox(handle);
  const { environmentId } = handle;
  if (sandboxOf(handle).spec.network === "none") return await relayInto(handle, envPort, hostPort);
  return await forwardSharedPort(environmentId, envPort, hostPort ?? envPort, () => pidsInside(handle));
}

/** A rollback has given a box another life: relays lead into that one. */
export function relaysFollow(next: EnvironmentHandle): void {
  if (present.has(next.environmentId)) present.set(next.environmentId, next);
}

export const forgetRelays = (environmentId: string): void => void present.delete(environmentId);

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
