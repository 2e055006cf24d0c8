import t from "tap";
import { type Era, initializeConnection } from "../../../src/client/initialize_connection.ts";
import type { Peer, PeerRequestOptions } from "../../../src/client/rpc_peer.ts";

/** A server that answers nothing; a request ends with its signal only. */
const silentPeer: Peer = {
  request: (_method, _params, { signal }: PeerRequestOptions) =>
    new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
  notify: () => {},
  setEnvelope: () => {},
  end: () => {},
};

for (const era of ["auto", "modern", "legacy"] satisfies Era[]) {
  t.test(`a handshake is given up when asked to, era ${era}`, { timeout: 5000 }, async (t) => {
    const stop = new AbortController();
    const shaken = initializeConnection(silentPeer, {
      clientInfo: { name: "test", version: "1" },
      capabilities: {},
      timeoutMs: 60_000,
      era,
      signal: stop.signal,
      agreed: () => {},
    });
    stop.abort(new Error("enough"));
    await t.rejects(shaken, { message: "enough" });
  });
}
