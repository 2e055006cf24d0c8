import { isObject } from "../core/values.ts";

interface CaptureOptions {
  /** Default 2,000. */
  maxMessages?: number;
  /** Default 8 MiB, as sizes on the wire. */
  maxBytes?: number;
  /** False keeps only ids and methods. Default true. */
  payloads?: boolean;
  /** Hears every exchange once, as it happens. */
  onExchange?: (exchange: Exchange) => void;
}

export interface Capture {
  add(direction: Exchange["direction"], message: unknown, bytes: number): void;
  exchanges(): readonly Exchange[];
}

/** Replaces a message that is too large, or whose payload is not wanted, by its id and method. */
function envelopeOf(message: unknown, bytes: number): unknown {
  const { id, method } = isObject(message) ? message : {};
  return {
    jsonrpc: "2.0",
    ...(id === undefined ? {} : { id }),
    ...(method === undefined ? {} : { method }),
    omittedBytes: bytes,
  };
}

export function createCapture(options: CaptureOptions = {}): Capture {
  const { maxMessages = 2000, maxBytes = 8 * 1024 * 1024, payloads = true, onExchange } = options;
  // Side by side: what is asked for after every test is then one slice.
  let kept: Exchange[] = [];
  let sizes: number[] = [];
  let first = 0;
  let total = 0;

  const dropOldest = (): void => {
    while (first < kept.length - 1 && (kept.length - first > maxMessages || total > maxBytes)) {
      total -= sizes[first]!;
      first += 1;
    }
    // Cut in blocks: shifting an array by one for every message is linear in its length.
    if (first >= maxMessages) {
      kept = kept.slice(first);
      sizes = sizes.slice(first);
      first = 0;
    }
  };

  return {
    add(direction, message, bytes) {
      const exchange: Exchange = { at: Date.now(), direction, message };
      onExchange?.(exchange);
      const whole = payloads && bytes <= maxBytes;
      const size = whole ? bytes : 100;
      kept.push(whole ? exchange : { ...exchange, message: envelopeOf(message, bytes) });
      sizes.push(size);
      total += size;
      dropOldest();
    },
    exchanges: () => kept.slice(first),
  };
}

/** One JSON-RPC message, caught at the transport before any library has seen it. */
export interface Exchange {
  /** Milliseconds since the epoch. */
  at: number;
  direction: "sent" | "received";
  message: unknown;
}
