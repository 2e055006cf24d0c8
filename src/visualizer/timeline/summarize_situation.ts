/** Explains in a few sentences why an actor is in its state. */
import type { AnyStateMachine, AnyStateNode } from "xstate";
import { cutToColumns } from "../../core/columns.ts";
import { count, formatDuration, plainLine } from "../../core/text.ts";
import { isObject } from "../../core/values.ts";
import { eventReason, failedVerdict, lossText } from "./event_text.ts";
import { summarizeEvent } from "./summarize_event.ts";
import { invokedActors, isLeaf, statePath, transitionOf } from "./active_states.ts";
import { type EnteredState, timerName } from "./states_since.ts";
import type { ActorRow, Explanation, RefusedGuard } from "./timeline.ts";

export interface TimelineSituation {
  row: ActorRow;
  parent: string | undefined;
  /** Undefined for work, and for machines that this version does not have. */
  machine: AnyStateMachine | undefined;
  entered: readonly EnteredState[];
  /** Milliseconds since the recording's start. */
  now: number;
  at(line: number): number;
  explanation: Omit<Explanation, "summary">;
  /** Last event that it sent since it entered its state. */
  sent: { type: string; to: string; at: number } | undefined;
  /** Refused guards for whose event no other transition was taken. */
  inVain: readonly RefusedGuard[];
  /** The event that it is about to act on: it was sent, and no state has come of it yet. */
  hearing: { name: string; gist: string } | undefined;
  /** Children that are failing. */
  failing: readonly string[];
  /** Machines anywhere below it that wait for work. */
  working: readonly string[];
  /** Whether nothing has happened for a while. */
  isQuiet: boolean;
  context: unknown;
  error: string | undefined;
}

export function summarizeSituation(situation: TimelineSituation): string {
  const { row, machine } = situation;
  if (row.slot !== undefined && row.machine === undefined) return summarizeWork(situation);
  if (row.endedAt !== undefined) return sentences(ending(situation), contextReason(situation));
  return sentences(
    whereabouts(situation),
    justHeard(situation) ?? contextReason(situation) ?? heardTrouble(situation),
    troubleBelow(situation),
    workBelow(situation),
    machine === undefined ? undefined : onTimers(situation),
    machine === undefined ? undefined : onGuards(situation, machine),
    machine === undefined || situation.hearing !== undefined || isElsewhere(situation)
      ? undefined
      : onEvents(situation),
  );
}

/** In a state that its machine does not have in this version: what leads on from there is not known. */
const isElsewhere = ({ entered }: TimelineSituation): boolean =>
  entered.length > 0 && !entered.some(({ node }) => isLeaf(node));

const sentences = (...all: (string | undefined)[]): string =>
  all.filter((one) => one !== undefined && one !== "").map((one) => /[.!?…]$/.test(one!) ? one : `${one}.`)
    .join(" ");

function summarizeWork({ row, parent, now, error }: TimelineSituation): string {
  const name = `"${row.slot}"${parent === undefined ? "" : ` for ${parent}`}`;
  const took = formatDuration((row.endedAt ?? now) - row.startedAt);
  if (row.endedAt === undefined) return `${name} has been running for ${took}.`;
  if (row.status === "error") {
    return sentences(`${name} failed after ${took}: ${brief(error ?? "no reason recorded")}`);
  }
  return `${name} ${row.status === "stopped" ? "was stopped" : "was done"} after ${took}.`;
}

function ending({ row, now, error }: TimelineSituation): string {
  const ago = now - row.endedAt! < 1 ? "just now" : `${formatDuration(now - row.endedAt!)} ago`;
  const took = `after ${formatDuration(row.endedAt! - row.startedAt)}, ${ago}`;
  if (row.status === "error") return `Broke ${took}${error === undefined ? "" : `: ${brief(error)}`}`;
  const how = row.status === "stopped" ? "Was stopped" : "Ended";
  const where = typeof row.value === "string" && row.value !== "ended" ? ` in ${row.value}` : "";
  return `${how}${where} ${took}`;
}

/** `In open.calling for 12 s, waiting for "call" (12 s): find_article {"name":"rake"}`. */
function whereabouts(situation: TimelineSituation): string {
  const { row, machine, explanation } = situation;
  const where = row.value === undefined
    ? "Has just begun"
    : machine === undefined || isElsewhere(situation)
    ? `In ${JSON.stringify(row.value)}`
    : `In ${leavesText(situation)}`;
  const work = awaitedWork(situation);
  const under = explanation.pending.filter(({ slot }) => slot === undefined);
  return [
    where,
    work.length === 0
      ? ""
      : `waiting for ${some(work.map(({ slot, ageMs }) => `"${slot}" (${formatDuration(ageMs)})`))}`,
    under.length === 0
      ? ""
      : `with ${some(under.map(({ id, ageMs }) => `${id} (${formatDuration(ageMs)})`))} under way`,
  ].filter(Boolean).join(", ") + (work.length === 1 && under.length === 0 ? given(work[0]!) : "");
}

const given = ({ given }: Explanation["pending"][number]): string =>
  given === undefined ? "" : `: ${cutToColumns(given, 80)}`;

const awaitedWork = ({ machine, entered, explanation }: TimelineSituation): Explanation["pending"] => {
  const work = explanation.pending.filter(({ slot }) => slot !== undefined);
  return machine === undefined ? work : invokedActors(machine, entered.map(({ node }) => node), work);
};

const some = (texts: readonly string[]): string =>
  texts.length <= 4 ? listed(texts, "and") : `${texts.slice(0, 3).join(", ")} and ${texts.length - 3} more`;

/** States of the actor. Of many regions, only those that left their first state are listed. */
function leavesText({ entered, now, at }: TimelineSituation): string {
  const { shown, others } = telling(entered);
  const texts = shown.map(({ node, snapshot, seen }) =>
    `${statePath(node)} for ${seen ? "" : "at least "}${formatDuration(now - at(snapshot))}`
  );
  if (others.length === 0) return listed(texts, "and");
  const rest = others.length === 1
    ? "1 other region rests where it began"
    : `${others.length} other regions rest where they began`;
  return `${listed(texts, "and")}; ${rest}`;
}

function telling(entered: readonly EnteredState[]): { shown: EnteredState[]; others: EnteredState[] } {
  const leaves = entered.filter(({ node }) => isLeaf(node));
  const moved = leaves.filter(({ node }) => leaves.length < 3 || !isFirstOfRegion(node));
  const shown = moved.length === 0 ? leaves.slice(0, 1) : moved;
  return { shown, others: leaves.filter((leaf) => !shown.includes(leaf)) };
}

const isFirstOfRegion = (node: AnyStateNode): boolean =>
  node.parent?.parent?.type === "parallel" && node.parent.initial.target[0] === node;

/**
 * Reason in the machine's context: a loss, a verdict or an error. The error of an actor that is well again is old
 * and left out.
 */
function contextReason({ row, context }: TimelineSituation): string | undefined {
  const lost = isObject(context) ? lossText(context["loss"]) : undefined;
  if (lost !== undefined) return `The server was lost: ${brief(lost)}`;
  const verdict = failedVerdict(context);
  if (verdict !== undefined) return `Its verdict: ${brief(summarizeEvent({ verdict }))}`;
  const error = eventReason(context);
  return error !== undefined && (row.health === "failing" || row.endedAt !== undefined)
    ? `Its error: ${brief(error)}`
    : undefined;
}

/** Between an event and the state that it leads to. */
const justHeard = ({ hearing }: TimelineSituation): string | undefined =>
  hearing === undefined
    ? undefined
    : `Just now: ${hearing.name}${hearing.gist === "" ? "" : ` (${brief(hearing.gist)})`}`;

const troubleBelow = ({ failing }: TimelineSituation): string | undefined =>
  failing.length === 0 ? undefined : `Failing below it: ${listed(failing, "and")}`;

/** Machines below the actor, at any depth, that wait for work. */
const workBelow = ({ working }: TimelineSituation): string | undefined =>
  working.length === 0 ? undefined : `At work below it: ${some(working)}`;

function heardTrouble({ explanation: { last } }: TimelineSituation): string | undefined {
  const newest = last[0];
  if (newest === undefined || !newest.trouble) return undefined;
  const from = newest.source === undefined ? "" : ` from ${newest.source.id}`;
  return `Last received ${newest.type}${from}${newest.gist === "" ? "" : `: ${newest.gist}`}`;
}

function onTimers({ explanation: { timers } }: TimelineSituation): string | undefined {
  if (timers.length === 0) return undefined;
  return listed(
    timers.map((timer) => {
      const left = timer.leftMs;
      const when = left === undefined ? "runs" : left <= 0 ? "is due" : `goes off in ${formatDuration(left)}`;
      return `the timer "${timerName(timer)}" ${when}`;
    }),
    "and",
  ).replace(/^t/, "T");
}

/** Guards that refused, and those that would let the actor go on by itself. */
function onGuards(situation: TimelineSituation, machine: AnyStateMachine): string | undefined {
  const { explanation: { refused }, entered, inVain, now, at } = situation;
  const holding = refused.flatMap(({ event, transition, guard }) => {
    const { source, target } = transitionOf(machine, transition) ?? {};
    if (event !== "" || !entered.some(({ node }) => node === source)) return [];
    return [
      `it ${
        target?.[0] === undefined ? "acts" : `goes on to ${statePath(target[0])}`
      } as soon as "${guard}" holds`,
    ];
  });
  const newest = inVain[0];
  const guards = inVain.filter(({ position }) => position === newest?.position).map(({ guard }) =>
    `"${guard}"`
  );
  const no = newest === undefined ? [] : [
    `${listed(guards, "and")} refused ${newest.event} ${formatDuration(now - at(newest.position - 1))} ago`,
  ];
  return listed([...no, ...holding.slice(0, 2)], "and").replace(/^i/, "I");
}

/** Events that are named; of one that hears more than `tooMany`, a list says nothing. */
const mostEvents = 6;
const tooMany = 12;

/** Events that lead on from here; while work runs, only for the states that do not wait for it. */
function onEvents(situation: TimelineSituation): string | undefined {
  const { explanation: { pending, waitsFor, timers }, entered, sent, now } = situation;
  const work = new Set(awaitedWork(situation).map(({ id }) => id));
  const { shown, others } = telling(entered);
  const idle = shown.filter(({ node }) => !node.invoke.some(({ id }) => work.has(id)));
  if (work.size > 0 && (idle.length === 0 || shown.length === 1)) return undefined;
  const innermost = new Set((work.size > 0 ? idle : shown).map(({ node }) => node.id));
  const rest = new Set(others.map(({ node }) => node.id));
  const outer = work.size > 0
    ? []
    : waitsFor.filter(({ state }) => !innermost.has(state) && !rest.has(state));
  const states = [
    ...waitsFor.filter(({ state }) => innermost.has(state)),
    ...outer,
    ...waitsFor.filter(({ state }) => rest.has(state)),
  ];
  const events = [...new Set(states.flatMap(({ events }) => events))].filter((type) =>
    !type.startsWith("xstate.")
  );
  if (events.length === 0) {
    return timers.length + pending.length + waitsFor.length === 0 ? "No event leads on from here" : undefined;
  }
  if (events.length > tooMany) {
    return situation.isQuiet && situation.working.length === 0
      ? "Nothing is at work below it: it may be waiting for its next command"
      : undefined;
  }
  const told = events.slice(0, mostEvents);
  const more = events.length - told.length;
  const last = sent === undefined
    ? ""
    : `, having sent ${sent.type} to ${sent.to} ${formatDuration(now - sent.at)} ago`;
  return `Waits for ${
    more > 0 ? `${told.join(", ")} or ${count(more, "other event")}` : listed(told, "or")
  }${last}`;
}

function listed(texts: readonly string[], word: "and" | "or"): string {
  return texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} ${word} ${texts.at(-1)}`;
}

const brief = (text: string): string => cutToColumns(plainLine(text), 300);
