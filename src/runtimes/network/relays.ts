/** Relays that this process keeps open for environments; whichever instance of a runtime destroys one closes them. */
import type { Listener } from "../../platform/sockets.ts";

const relays = new Map<string, { envPort: number; listener: Listener }[]>();

export function keepRelay(environmentId: string, envPort: number, listener: Listener): void {
  relays.set(environmentId, [...relays.get(environmentId) ?? [], { envPort, listener }]);
}

/** A relay to the port that is open already. */
export const relayTo = (environmentId: string, envPort: number): Listener | undefined =>
  relays.get(environmentId)?.find((relay) => relay.envPort === envPort)?.listener;

export async function closeRelays(environmentId: string): Promise<void> {
  const mine = relays.get(environmentId) ?? [];
  relays.delete(environmentId);
  await Promise.all(mine.map(({ listener }) => listener.close()));
}
