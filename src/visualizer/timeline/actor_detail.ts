/** One actor at a position: what it knows, and why it is where it is. */
import { PthError } from "../../core/errors.ts";
import type { SnapshotLine } from "../recording/format.ts";
import { actorRow, actorsAt } from "./actors.ts";
import type { Answers } from "./answers.ts";
import { expandTruncated } from "./truncated_json.ts";
import { nameOf } from "./event_row.ts";
import { errorText } from "./event_text.ts";
import { explainActor } from "./explain_actor.ts";
import { type FindMachine, findMachine } from "./active_states.ts";
import { type EnteredState, statesSince, timerName, timersOf } from "./states_since.ts";
import { summarizeSituation } from "./summarize_situation.ts";
import type { ActorDetail, ActorRow, EventRow } from "./timeline.ts";
import { countBefore, type IndexedActor, lastIndexBefore, type TimelineIndex } from "./timeline_index.ts";

export interface DetailOptions {
  /**
   * Milliseconds since the recording's start. In a living session that is silent, time goes on. Default: the time of
   * the last line before the position.
   */
  now?: number;
  machines?: FindMachine;
}

/** @throws {PthError} `TARGET_NOT_FOUND` for an actor that there is not yet */
export async function actorDetail(
  index: TimelineIndex,
  answers: Answers,
  name: string,
  position: number,
  { now = position === 0 ? 0 : index.at(position - 1), machines = findMachine }: DetailOptions = {},
): Promise<ActorDetail> {
  const actor = index.actor(name);
  if (actor === undefined || actor.line >= position) throw notThere(index, name, actor);
  const machine = machines(actor.machine);
  const rows = actorsAt(index, position, { machines });
  const row = rows.find((one) => one.actor === name) ??
    actorRow(index, actor, position, { lives: false, children: [], machines });
  const children = rows.filter(({ parent }) => row.endedAt === undefined && parent === name);
  const entered = machine === undefined ? [] : statesSince(index, machine, actor, position);
  const known = await contextAt(index, actor, position);
  const error = await errorOf(index, actor, position);
  const innermost = Math.max(0, ...entered.map(({ snapshot }) => snapshot));
  const then = known !== undefined && known.line <= innermost
    ? known
    : await contextAt(index, actor, innermost + 1);
  const at = (line: number) => index.at(line);
  const explanation = {
    ...await explainActor(index, answers, actor, position, { machine, entered, children, now }),
    timers: machine === undefined || row.endedAt !== undefined
      ? []
      : timersOf(machine, entered, now, at, expandTruncated(then?.context ?? known?.context)),
  };
  const summary = summarizeSituation({
    row,
    parent: actor.parent?.id,
    machine,
    entered,
    now,
    at,
    explanation,
    sent: lastSent(index, actor, position, answers.eventBefore(innermost) ?? innermost),
    inVain: explanation.refused.filter(({ event, position }) =>
      event !== "" && cameToNothing(index, answers, position - 1)
    ),
    hearing: hearing(index, answers, actor, position, explanation.last[0], entered),
    failing: children.filter(({ health }) => health === "failing").map(({ id }) => id),
    working: workingBelow(rows, name),
    isQuiet: isQuiet(index, position, now),
    context: expandTruncated(known?.context),
    error,
  });
  return {
    ...row,
    ...(known === undefined ? {} : { context: known.context, contextAt: index.at(known.line) }),
    ...(error === undefined ? {} : { error }),
    explanation: { summary, ...explanation },
  };
}

/** Machines that it started, and those that they did, that wait for work. */
function workingBelow(rows: readonly ActorRow[], name: string): string[] {
  const below = new Set([name]);
  return rows.filter(({ actor, parent, health }) => {
    if (parent === undefined || !below.has(parent)) return false;
    below.add(actor);
    return health === "waiting";
  }).map(({ id }) => id);
}

/** Milliseconds without any event after which nothing is on its way. */
const quietMs = 500;

const isQuiet = (index: TimelineIndex, position: number, now: number): boolean =>
  position > 0 && (position < index.length ? index.at(position) : now) - index.at(position - 1) >= quietMs;

function notThere(index: TimelineIndex, name: string, actor: IndexedActor | undefined): PthError {
  const when = actor === undefined
    ? "the recording has no such actor"
    : `it begins later, at ${Math.round(index.at(actor.line))} ms`;
  return new PthError("TARGET_NOT_FOUND", `Cannot show actor ${name}: ${when}`, {
    ...(actor === undefined ? {} : { startedAt: index.at(actor.line) }),
    next: [actor === undefined ? "Choose one of the list of actors." : "Go to a later moment."],
  });
}

/** Context at the position; undefined if compaction removed it or none was recorded. */
async function contextAt(
  index: TimelineIndex,
  actor: IndexedActor,
  position: number,
): Promise<{ line: number; context: unknown } | undefined> {
  for (let place = countBefore(actor.snapshots, position) - 1; place >= 0; place--) {
    const line = actor.snapshots[place]!;
    const kept = index.context(line);
    if (kept === "same") continue;
    if (kept === "thinned") return undefined;
    const [read] = await index.read([line]);
    return { line, context: (read as SnapshotLine).context };
  }
  return undefined;
}

async function errorOf(
  index: TimelineIndex,
  actor: IndexedActor,
  position: number,
): Promise<string | undefined> {
  const line = lastIndexBefore(actor.snapshots, position);
  if (line === undefined || index.status(line) !== "error") return undefined;
  const [read] = await index.read([line]);
  return errorText((read as SnapshotLine).error);
}

/** Last event of an actor if its effect is not recorded yet at the position. */
function hearing(
  index: TimelineIndex,
  answers: Answers,
  actor: IndexedActor,
  position: number,
  newest: EventRow | undefined,
  entered: readonly EnteredState[],
): { name: string; gist: string } | undefined {
  const line = lastIndexBefore(actor.heard, position);
  if (line === undefined || newest === undefined || (answers.snapshotAfter(line) ?? 0) < position) {
    return undefined;
  }
  const work = index.source(line)?.slot;
  const over = /^xstate\.(done|error)\.actor\./.exec(newest.type)?.[1];
  const timer = entered.flatMap(({ node }) =>
    node.after.map(({ eventType }) => ({ event: eventType, state: node.id }))
  )
    .find(({ event }) => event === newest.type);
  if (timer !== undefined) return { name: `the timer "${timerName(timer)}"`, gist: newest.gist };
  const name = over === undefined || work === undefined
    ? newest.type
    : `"${work}" ${over === "done" ? "is done" : "failed"}`;
  return { name, gist: newest.gist };
}

const cameToNothing = (index: TimelineIndex, answers: Answers, event: number): boolean => {
  const snapshot = answers.snapshotAfter(event);
  return snapshot !== undefined && index.taken(snapshot).length === 0;
};

/** Lines before the position that are searched for the last event that an actor sent. */
const farBack = 20_000;

function lastSent(index: TimelineIndex, actor: IndexedActor, position: number, since: number) {
  for (let line = position - 1; line >= Math.max(since, position - farBack); line--) {
    if (index.kind(line) !== "event" || index.source(line) !== actor) continue;
    const to = index.actorOf(line);
    const type = index.eventType(line);
    if (to !== actor && !type.startsWith("xstate.")) return { type, to: nameOf(to).id, at: index.at(line) };
  }
  return undefined;
}
