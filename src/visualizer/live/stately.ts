/**
 * Stately's own inspector as one more listener: what actors hear and where they go, sent to a WebSocket of this machine by
 * `@statelyai/inspect`. Secrets are taken out of all that is sent.
 */
import type { InspectionEvent } from "xstate";
import { errorMessage, PthError } from "../../core/errors.ts";
import { log } from "../../platform/log.ts";
import { withDeadline } from "../../core/waiting.ts";

export interface StatelyFeed {
  /** For XState's `inspect`; never throws. */
  inspect(event: InspectionEvent): void;
  /** Sends what is under way, and disconnects. */
  close(): Promise<void>;
}

/** The part of the library's adapter that it keeps to itself: it would connect again every 5 s, for ever. */
interface Adapter {
  ws: {
    onerror: ((event: { message?: string }) => void) | null;
    onclose: (() => void) | null;
    close(): void;
  };
}

/** Milliseconds that the end of a session waits for the receiver to close the connection. */
const farewellMs = 2000;
const loopback = ["127.0.0.1", "localhost", "[::1]"];

/**
 * The address, checked. What tools are called with and what they answer goes there: only this machine is trusted with it.
 * @throws {PthError} `INVALID_INPUT`
 */
export function statelyAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^wss?:$/.test(url.protocol)) {
    throw new PthError(
      "INVALID_INPUT",
      `Cannot inspect with Stately's inspector: "${text}" is not a ws:// address`,
    );
  }
  if (!loopback.includes(url.hostname)) {
    throw new PthError(
      "INVALID_INPUT",
      `Cannot inspect with Stately's inspector: ${url.hostname} is not this host`,
      { next: ["Forward a port of this host to it: ssh -L 8080:localhost:8080 <host>"] },
    );
  }
  return url.href;
}

/**
 * Connects without delaying the session. A receiver that is absent or disconnects is logged once.
 * @param redact takes out every secret
 * @throws {PthError} `INVALID_INPUT` for an address that is malformed or not of this host
 */
export async function feedStately(address: string, redact: (text: string) => string): Promise<StatelyFeed> {
  const url = statelyAddress(address);
  const { createWebSocketInspector } = await import("@statelyai/inspect");
  const inspector = createWebSocketInspector({ url, serialize: (event) => withoutSecrets(event, redact) });
  const { ws } = inspector.adapter as unknown as Adapter;
  let isOver = false;
  let gone: () => void = () => {};
  const closed = new Promise<void>((resolve) => gone = resolve);
  const end = (why: string) => {
    if (!isOver) log.error(`Stately's inspector at ${url} receives no more events: ${why}`);
    isOver = true;
    gone();
  };
  ws.onerror = ({ message }) => end(message || "nothing answers there");
  ws.onclose = () => end("it disconnected");
  return {
    inspect(event) {
      if (!isOver) inspector.inspect.next?.(event);
    },
    async close() {
      if (isOver) return;
      // The library sends each event in a turn of its own.
      await new Promise((resolve) => setTimeout(resolve, 0));
      isOver = true;
      ws.close();
      await withDeadline(closed, farewellMs);
    },
  };
}

/** The library's own hooks for this leave out what work answers and how it fails. */
function withoutSecrets<Event extends { type: string; sessionId: string }>(
  event: Event,
  redact: (text: string) => string,
): Event {
  try {
    return JSON.parse(redact(JSON.stringify(event, plain)));
  } catch (error) {
    // It is called in a turn of its own, where an error would end the process.
    log.warn(`Cannot show an event to Stately's inspector: ${errorMessage(error)}`, { type: event.type });
    return { type: event.type, sessionId: event.sessionId } as Event;
  }
}

const plain = (_key: string, value: unknown): unknown =>
  value instanceof Error ? { name: value.name, message: value.message } : value;
