/** Notifications of a server that nobody has waited for yet, within bounds; each is handed out once. */
import { isDeepStrictEqual } from "node:util";
import type { ServerNotification } from "../../machines/model/plugin.ts";
import { isObject } from "../core/values.ts";

export interface WantedNotification {
  method: string;
  /** Part of its `params` that must be there; objects within may hold more. */
  params?: Record<string, unknown>;
}

export interface Inbox {
  /** Beyond the bounds the oldest go. `bytes` is the message's size. */
  add(notification: ServerNotification, bytes: number): void;
  clear(): void;
  /** The oldest that fits, or the first to come within `timeoutMs`; undefined when none came. Rejects with the signal's reason. */
  next(
    wanted: WantedNotification,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<ServerNotification | undefined>;
}

interface Waiting {
  wanted: WantedNotification;
  take(notification: ServerNotification): void;
}

export function createInbox({ most = 500, mostBytes = 2 * 1024 * 1024 } = {}): Inbox {
  let kept: { notification: ServerNotification; bytes: number }[] = [];
  let total = 0;
  const waiting = new Set<Waiting>();

  return {
    add(notification, bytes) {
      const first = [...waiting].find(({ wanted }) => fits(notification, wanted));
      if (first) return first.take(notification);
      kept.push({ notification, bytes });
      total += bytes;
      while (kept.length > most || (kept.length > 1 && total > mostBytes)) total -= kept.shift()!.bytes;
    },
    clear() {
      kept = [];
      total = 0;
    },
    next(wanted, timeoutMs, signal) {
      const at = kept.findIndex(({ notification }) => fits(notification, wanted));
      if (at >= 0) {
        const [found] = kept.splice(at, 1);
        total -= found!.bytes;
        return Promise.resolve(found!.notification);
      }
      return new Promise((resolve, reject) => {
        const finish = () => {
          waiting.delete(entry);
          clearTimeout(timer);
          signal?.removeEventListener("abort", stop);
        };
        const entry: Waiting = {
          wanted,
          take: (notification) => {
            finish();
            resolve(notification);
          },
        };
        const stop = () => {
          finish();
          reject(signal?.reason);
        };
        const timer = setTimeout(() => {
          finish();
          resolve(undefined);
        }, timeoutMs);
        waiting.add(entry);
        if (signal?.aborted) stop();
        else signal?.addEventListener("abort", stop, { once: true });
      });
    },
  };
}

const fits = ({ method, params }: ServerNotification, wanted: WantedNotification): boolean =>
  method === wanted.method && (wanted.params === undefined || holds(params, wanted.params));

function holds(value: unknown, part: unknown): boolean {
  if (!isObject(part)) return isDeepStrictEqual(value, part);
  return isObject(value) && Object.entries(part).every(([key, wanted]) => holds(value[key], wanted));
}
