/** Decides what several hooks come to together, as Claude Code 2.1.330 does. */
import { definedOnly } from "../core/values.ts";
import { hookEvents } from "./hook_events.ts";
import type { JudgedHook, Permission } from "./judge_hook.ts";

export interface HookDecision {
  /** `none`: the action goes ahead, as without hooks. */
  decision: Permission | "block" | "none";
  /** Reasons of the hooks that decided, in their order. */
  reasons: string[];
  /** Consequence of a block, for people. */
  consequence?: string;
  /** Whether the agent stops, and the texts that are shown then. */
  stops: boolean;
  stopReasons: string[];
  /** Texts for the model, and for the user. */
  context: string[];
  messages: string[];
  /** Input that the tool is called with in place of its own. */
  updatedInput?: Record<string, unknown>;
}

/** The first that a hook says wins. */
const strongest: readonly Permission[] = ["deny", "defer", "ask", "allow"];

/** @param hooks Those that have run, in the order of their definitions */
export function decideHooks(event: string, hooks: readonly JudgedHook[]): HookDecision {
  const { block, decides = false } = hookEvents.get(event) ?? {};
  const blocked = hooks.filter(({ outcome }) => outcome === "blocked");
  const permission = decides
    ? strongest.find((each) => hooks.some((hook) => hook.permission === each))
    : undefined;
  const decision = permission ?? (blocked.length > 0 && block !== undefined ? "block" : "none");
  const deciding = permission === undefined
    ? blocked
    : hooks.filter((hook) => hook.permission === permission);
  const texts = (of: (hook: JudgedHook) => string | undefined) =>
    hooks.map(of).filter((text) => text !== undefined);
  const changing = hooks.filter(({ permission: own }) => own === undefined || own === permission);
  const isRefused = decision === "deny" || decision === "block";
  return {
    decision,
    reasons: decision === "none"
      ? []
      : deciding.flatMap(({ reason }) => reason === undefined ? [] : [reason]),
    ...definedOnly({ consequence: isRefused ? block : undefined }),
    stops: hooks.some(({ stops }) => stops),
    stopReasons: texts(({ stopReason }) => stopReason),
    context: texts(({ context }) => context),
    messages: texts(({ message }) => message),
    ...definedOnly({
      updatedInput: isRefused
        ? undefined
        : changing.findLast(({ updatedInput }) => updatedInput !== undefined)?.updatedInput,
    }),
  };
}
