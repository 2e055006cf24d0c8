/**
 * What a server may ask of its client and tell it: `elicitation/create`, `sampling/createMessage` and `roots/list` answered
 * from a script, notifications kept until they are waited for.
 */
import type { ClientCapability, ServerNotification } from "../../machines/model/plugin.ts";
import type { ScriptedReplies } from "../../machines/model/test_case.ts";
import { createInbox, type Inbox } from "./inbox.ts";
import type { JsonObject } from "./rpc_message.ts";
export type Roots = readonly { uri: string; name?: string }[];

/** What came of a script. */
export interface ScriptUse {
  /** Requests that no reply was left for, by method. */
  unscripted: string[];
  /** Replies that were not asked for. */
  unused: { elicitation: number; sampling: number };
}

export interface ClientSide {
  /** What the handshake declared. */
  readonly abilities: readonly ClientCapability[];
  /** A test begins: earlier notifications are forgotten, and these roots offered; a server that knows others is told first. */
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

/** How long a server that was told of other roots has to ask for them. */
const rootsLimitMs = 500;
/** What a server does with an answer takes it a moment, which no message tells. */
const digestMs = 10;

export interface ClientFeatureOptions {
  abilities: readonly ClientCapability[];
  roots: Roots;
  notify: (method: string) => void;
}

export function createClientFeatures(
  { abilities, roots: first, notify }: ClientFeatureOptions,
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
      return ability !== undefined && abilities.includes(ability) ? reply!() : undefined;
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

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What a request of the server is answered with. */
export type ServerReply = { result: JsonObject } | { error: { code: number; message: string } };
