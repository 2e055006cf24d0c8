/** The last messages of a connection, within bounds of number and size. */
import type { Exchange } from "./connection.ts";
import { isObject } from "../values.ts";

export interface CaptureOptions {
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

/** What remains of a message that is too large, or whose payload is not wanted. */
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
  let kept: { exchange: Exchange; bytes: number }[] = [];
  let first = 0;
  let total = 0;

  const dropOldest = (): void => {
    while (first < kept.length - 1 && (kept.length - first > maxMessages || total > maxBytes)) {
      total -= kept[first]!.bytes;
      first += 1;
    }
    // Cut in blocks: shifting an array by one for every message is linear in its length.
    if (first >= maxMessages) {
      kept = kept.slice(first);
      first = 0;
    }
  };

  return {
    add(direction, message, bytes) {
      const exchange: Exchange = { at: Date.now(), direction, message };
      onExchange?.(exchange);
      const whole = payloads && bytes <= maxBytes;
      const entry = whole ? exchange : { ...exchange, message: envelopeOf(message, bytes) };
      kept.push({ exchange: entry, bytes: whole ? bytes : 100 });
      total += whole ? bytes : 100;
      dropOldest();
    },
    exchanges: () => kept.slice(first).map((entry) => entry.exchange),
  };
}
