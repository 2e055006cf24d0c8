/** Why an actor is where it is, in one to four sentences for people. */
import type { AnyStateMachine, AnyStateNode } from "xstate";
import { cut, duration, oneLine } from "../../testing/reporters/text.ts";
import { count } from "../../values.ts";
import { reasonText, tellsFailure } from "./event_text.ts";
import { isLeaf, pathOf, transitionOf } from "./machine_states.ts";
import type { Entered } from "./state_times.ts";
import { timerName } from "./timers.ts";
import type { ActorRow, Explanation } from "./timeline.ts";

export interface Situation {
  row: ActorRow;
  parent: string | undefined;
  /** Undefined for work, and for machines that this version does not have. */
  machine: AnyStateMachine | undefined;
  entered: readonly Entered[];
  /** Milliseconds since the recording's start. */
  now: number;
  at(line: number): number;
  explanation: Omit<Explanation, "summary">;
  /** What it sent last, and when. */
  sent: { type: string; to: string; at: number } | undefined;
  context: unknown;
  error: string | undefined;
}

export function summarize(situation: Situation): string {
  const { row, machine } = situation;
  if (row.slot !== undefined && row.machine === undefined) return summarizeWork(situation);
  if (row.endedAt !== undefined) return sentences(ending(situation), why(situation));
  return sentences(
    whereabouts(situation),
    why(situation) ?? heardTrouble(situation),
    machine === undefined ? undefined : onTimers(situation),
    machine === undefined ? undefined : onGuards(situation, machine),
    machine === undefined ? undefined : onEvents(situation),
  );
}

const sentences = (...all: (string | undefined)[]): string =>
  all.filter((one) => one !== undefined && one !== "").map((one) => /[.!?…]$/.test(one!) ? one : `${one}.`)
    .join(" ");

function summarizeWork({ row, parent, now, error }: Situation): string {
  const name = `"${row.slot}"${parent === undefined ? "" : ` for ${parent}`}`;
  const took = duration((row.endedAt ?? now) - row.startedAt);
  if (row.endedAt === undefined) return `${name} has been running for ${took}.`;
  if (row.status === "error") {
    return sentences(`${name} failed after ${took}: ${brief(error ?? "no reason recorded")}`);
  }
  return `${name} ${row.status === "stopped" ? "was stopped" : "was done"} after ${took}.`;
}

function ending({ row, now, error }: Situation): string {
  const took = `after ${duration(row.endedAt! - row.startedAt)}, ${duration(now - row.endedAt!)} ago`;
  if (row.status === "error") return `Broke ${took}${error === undefined ? "" : `: ${brief(error)}`}`;
  const how = row.status === "stopped" ? "Was stopped" : "Ended";
  return `${how}${typeof row.value === "string" ? ` in ${row.value}` : ""} ${took}`;
}

/** `In open.calling for 12 s, waiting for "call" (12 s)`. */
function whereabouts(situation: Situation): string {
  const { row, machine, explanation } = situation;
  const where = machine === undefined
    ? row.value === undefined ? "Has not told its state" : `In ${JSON.stringify(row.value)}`
    : `In ${leavesText(situation)}`;
  const beside = new Set(
    situation.entered.filter(({ node }) => !isLeaf(node)).flatMap(({ node }) =>
      node.invoke.map(({ id }) => id)
    ),
  );
  const work = explanation.pending.filter(({ id, slot }) => slot !== undefined && !beside.has(id));
  if (work.length === 0) return where;
  const some = work.slice(0, 3).map(({ slot, ageMs }) => `"${slot}" (${duration(ageMs)})`);
  const more = work.length > some.length ? ` and ${work.length - some.length} more` : "";
  return `${where}, waiting for ${some.join(", ")}${more}`;
}

/** Of many regions, those that have moved tell where an actor is. */
function leavesText({ entered, now, at }: Situation): string {
  const leaves = entered.filter(({ node }) => isLeaf(node));
  const moved = leaves.length < 3 ? leaves : leaves.filter(({ node }) => !isFirstOfRegion(node));
  const shown = moved.length === 0 ? leaves.slice(0, 1) : moved;
  const texts = shown.map(({ node, snapshot, seen }) =>
    `${pathOf(node)} for ${seen ? "" : "at least "}${duration(now - at(snapshot))}`
  );
  const others = leaves.length - shown.length;
  return listed(texts, "and") +
    (others === 0 ? "" : `; ${count(others, "other region")} rest${others === 1 ? "s" : ""} where it began`);
}

const isFirstOfRegion = (node: AnyStateNode): boolean =>
  node.parent?.parent?.type === "parallel" && node.parent.initial.target[0] === node;

/** What the machine itself wrote down of a loss or an error; an old error of one that is well again tells nothing. */
function why({ row, context }: Situation): string | undefined {
  const known = context as Record<string, unknown> | undefined;
  const reason = reasonText(known);
  if (reason === undefined) return undefined;
  if (known!["loss"] !== undefined && known!["loss"] !== null) return `The server was lost: ${brief(reason)}`;
  return row.health === "failing" || row.endedAt !== undefined ? `Its error: ${brief(reason)}` : undefined;
}

function heardTrouble({ explanation: { last } }: Situation): string | undefined {
  const newest = last[0];
  if (newest === undefined || !newest.trouble) return undefined;
  const from = newest.source === undefined ? "" : ` from ${newest.source.id}`;
  return `Last heard ${newest.type}${from}${newest.gist === "" ? "" : `: ${newest.gist}`}`;
}

function onTimers({ explanation: { timers } }: Situation): string | undefined {
  if (timers.length === 0) return undefined;
  return listed(
    timers.map((timer) => {
      const left = timer.leftMs;
      const when = left === undefined ? "runs" : left <= 0 ? "is due" : `goes off in ${duration(left)}`;
      return `the timer "${timerName(timer)}" ${when}`;
    }),
    "and",
  ).replace(/^t/, "T");
}

/** Guards of `always` are what an actor waits for; others refused what it heard. */
function onGuards(
  { explanation: { refused }, now, at }: Situation,
  machine: AnyStateMachine,
): string | undefined {
  const holding = refused.filter(({ event }) => event === "").map(({ transition, guard }) => {
    const to = transitionOf(machine, transition)?.target?.[0];
    return `it ${to === undefined ? "acts" : `goes on to ${pathOf(to)}`} as soon as "${guard}" holds`;
  });
  const newest = refused.find(({ event }) => event !== "" && !tellsFailure(event));
  const no = newest === undefined
    ? []
    : [`"${newest.guard}" refused ${newest.event} ${duration(now - at(newest.position - 1))} ago`];
  return listed([...no, ...holding.slice(0, 2)], "and").replace(/^i/, "I");
}

const mostEvents = 6;

/** What leads on from here; told where nothing that it started is under way. */
function onEvents({ explanation, sent, now }: Situation): string | undefined {
  const { pending, waitsFor, timers } = explanation;
  if (pending.some(({ slot }) => slot !== undefined)) return undefined;
  const events = [...new Set(waitsFor.flatMap(({ events }) => events))].filter((type) =>
    !type.startsWith("xstate.")
  );
  if (events.length === 0) {
    return timers.length + pending.length === 0 ? "Nothing that it may hear leads on from here" : undefined;
  }
  const shown = events.slice(0, mostEvents);
  const more = events.length - shown.length;
  const last = sent === undefined
    ? ""
    : `, having sent ${sent.type} to ${sent.to} ${duration(now - sent.at)} ago`;
  return `Waits for ${
    more > 0 ? `${shown.join(", ")} or ${count(more, "other event")}` : listed(shown, "or")
  }${last}`;
}

function listed(texts: readonly string[], word: "and" | "or"): string {
  return texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} ${word} ${texts.at(-1)}`;
}

const brief = (text: string): string => cut(oneLine(text), 300);
