/** Limits the time that a call waits for a server in use: a suite may use it for all of its tests. */
import { PthError } from "../../core/errors.ts";
import type { SessionActor } from "../send_request.ts";

/** Milliseconds that a call waits for a server that is not free: calls side by side on one server take turns. */
const patienceMs = 5_000;

/**
 * Does a call that leases a server under its id, and gives it up where all servers are others' for too long.
 * @throws {PthError} `NOT_NOW`; what the call fails with
 */
export async function withFreeServer<T>(
  actor: SessionActor,
  callId: string,
  tool: string,
  call: () => Promise<T>,
): Promise<T> {
  let refused = false;
  const timer = setInterval(() => {
    if (!waitsForOthers(actor, callId)) return;
    refused = true;
    actor.send({ type: "session.cancel_call", callId });
  }, patienceMs);
  try {
    return await call();
  } catch (error) {
    throw refused ? busy(tool) : error;
  } finally {
    clearInterval(timer);
  }
}

/** A server that is being started will be free. */
function waitsForOthers(actor: SessionActor, callId: string): boolean {
  const pool = actor.getSnapshot().context.plugin?.getSnapshot().context.pool?.getSnapshot();
  if (!pool?.context.waiting.some(({ leaseId }) => leaseId === callId)) return false;
  return Object.values(pool.context.members).every(({ state }) => state === "leased");
}

const busy = (tool: string): PthError =>
  new PthError("NOT_NOW", `Cannot call ${tool}: every instance of the server is busy`, {
    next: ["Wait for what is under way, or cancel it"],
  });
