/**
 * Client side of a connection: answers `elicitation/create`, `sampling/createMessage` and `roots/list` from a
 * script, and stores notifications until a test waits for them.
 */
import { delay } from "../core/waiting.ts";
import type { ClientCapability, ServerNotification } from "../../machines/model/plugin.ts";
import type { ScriptedReplies } from "../../machines/model/test_case.ts";
import type { JsonObject } from "./rpc_message.ts";
import { isDeepStrictEqual } from "node:util";
import { isObject } from "../core/values.ts";

export type Roots = readonly { uri: string; name?: string }[];

/** Answers that a script gave, and requests that it had no answer for. */
interface ScriptUse {
  /** Requests that no reply was left for, by method. */
  unscripted: string[];
  /** Replies that were not asked for. */
  unused: { elicitation: number; sampling: number };
}

export interface ClientSide {
  /** Capabilities that the client declared when it initialized. */
  readonly abilities: readonly ClientCapability[];
  /** Prepares for a test: drops earlier notifications and offers these roots; a server that has others is notified first. */
  begin(roots: Roots): Promise<void>;
  /** The replies of a step, in place of those before. */
  script(replies: ScriptedReplies): void;
  /** Ends the step's script. */
  finish(): ScriptUse;
  /** The next notification that fits, each once; undefined when none came in time. Rejects with the signal's reason. */
  next: Inbox["next"];
}

/** The parts that the connection itself needs. */
export interface ClientFeatures extends ClientSide {
  /** Undefined for a method that is not offered. */
  answer(method: string): ServerReply | undefined;
  hear(notification: ServerNotification, bytes: number): void;
  capabilities(): JsonObject;
}

/** Time in ms that a server has to ask for its roots after it was notified that they changed. */
const rootsLimitMs = 500;
/** Time in ms that a server gets to act on an answer; no message reports when it has. */
const digestMs = 10;

interface ClientFeatureOptions {
  abilities: readonly ClientCapability[];
  roots: Roots;
  notify: (method: string) => void;
  /** Hears each request of a method that the client does not offer. */
  onUndeclared?: (method: string) => void;
}

export function createClientFeatures(
  { abilities, roots: first, notify, onUndeclared }: ClientFeatureOptions,
): ClientFeatures {
  const inbox = createInbox();
  let roots = first;
  let toldRoots: string | undefined;
  let onRootsAsked: (() => void) | undefined;
  let elicitation: NonNullable<ScriptedReplies["elicitation"]> = [];
  let sampling: NonNullable<ScriptedReplies["sampling"]> = [];
  let unscripted: string[] = [];

  const tellRoots = (): ServerReply => {
    toldRoots = JSON.stringify(roots);
    onRootsAsked?.();
    return { result: { roots } };
  };
  const elicit = (): ServerReply => {
    const reply = elicitation.shift();
    if (reply === undefined) unscripted.push("elicitation/create");
    return { result: { ...(reply ?? { action: "cancel" }) } };
  };
  const sample = (): ServerReply => {
    const reply = sampling.shift();
    if (reply !== undefined) return { result: sampled(reply) };
    unscripted.push("sampling/createMessage");
    return { error: { code: -1, message: "User rejected sampling request" } };
  };
  const answers = new Map<string, [ClientCapability, () => ServerReply]>([
    ["roots/list", ["roots", tellRoots]],
    ["elicitation/create", ["elicitation", elicit]],
    ["sampling/createMessage", ["sampling", sample]],
  ]);

  return {
    abilities,
    capabilities: () => Object.fromEntries(abilities.map((ability) => [ability, declared[ability]])),
    answer(method) {
      const [ability, reply] = answers.get(method) ?? [];
      if (ability !== undefined && abilities.includes(ability)) return reply!();
      onUndeclared?.(method);
      return undefined;
    },
    hear: inbox.add,
    next: inbox.next,
    async begin(next) {
      inbox.clear();
      if (!abilities.includes("roots")) return;
      roots = next;
      if (toldRoots === undefined || toldRoots === JSON.stringify(next)) return;
      const asked = new Promise<void>((resolve) => onRootsAsked = resolve);
      notify("notifications/roots/list_changed");
      await Promise.race([asked, delay(rootsLimitMs)]);
      onRootsAsked = undefined;
      await delay(digestMs);
    },
    script(replies) {
      elicitation = [...replies.elicitation ?? []];
      sampling = [...replies.sampling ?? []];
      unscripted = [];
    },
    finish() {
      const use = { unscripted, unused: { elicitation: elicitation.length, sampling: sampling.length } };
      elicitation = [];
      sampling = [];
      unscripted = [];
      return use;
    },
  };
}

const declared: Record<ClientCapability, JsonObject> = {
  elicitation: { form: {}, url: {} },
  roots: { listChanged: true },
  sampling: {},
};

const sampled = (
  { text, model = "scripted", stopReason = "endTurn" }: NonNullable<ScriptedReplies["sampling"]>[number],
): JsonObject => ({ role: "assistant", content: { type: "text", text }, model, stopReason });

/** Answer to a request of the server. */
export type ServerReply = { result: JsonObject } | { error: { code: number; message: string } };

interface WantedNotification {
  method: string;
  /** Part of its `params` that must be there; objects within may hold more. */
  params?: Record<string, unknown>;
}

interface Inbox {
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
