/** Choice of the turn that answers a request: which lane takes it, and which of its turns. */
import type { ChosenTurn, JudgedRequest, Playbook, PlaybookFailure } from "../model/playbook.ts";
import { fitsGlob } from "./fits_glob.ts";

/** Progress of one lane. */
export interface LaneState {
  /** Id of the subagent whose conversation it is. */
  agent?: string;
  /** First turn that was not looked at yet. */
  next: number;
  /** Turns before it that still wait for their request. */
  waiting: number[];
  /** Turn that was played last and may be repeated. */
  repeating?: { turn: number; times: number };
}

/** Subagent that a turn called for and that has not spoken yet. */
export interface Spawn {
  type: string;
  prompt: string;
}

export interface PlaybookState {
  lanes: LaneState[];
  spawns: Spawn[];
  /** Subagents in the order of their first requests. */
  agents: string[];
}

export type Choice =
  | { kind: "play"; chosen: ChosenTurn; state: PlaybookState }
  /** Title or summary for which the playbook has no lane. */
  | { kind: "side" }
  | { kind: "refuse"; failure: PlaybookFailure };

/** Repetitions of a turn unless it says otherwise. */
export const defaultRepeats = 20;

export const initialState = ({ lanes }: Playbook): PlaybookState => ({
  lanes: lanes.map(() => ({ next: 0, waiting: [] })),
  spawns: [],
  agents: [],
});

export function chooseTurn(playbook: Playbook, before: PlaybookState, request: JudgedRequest): Choice {
  const taken = takeLane(playbook, before, request);
  if (taken.kind !== "lane") return taken;
  const { index, state } = taken;
  const lane = state.lanes[index]!;
  const { name, turns } = playbook.lanes[index]!;
  const holds = (turn: number, rule: "when" | "match" | "until") =>
    request.holds.includes(`${index}.${turn}.${rule}`);
  const play = (turn: number, next: LaneState, time = 1): Choice => ({
    kind: "play",
    chosen: { requestId: request.requestId, lane: index, turn, time },
    state: {
      ...state,
      lanes: state.lanes.map((each, at) => at === index ? repeated(next, turn, time) : each),
    },
  });
  const repeated = ({ repeating: _, ...rest }: LaneState, turn: number, times: number): LaneState =>
    turns[turn]!.repeat === undefined ? rest : { ...rest, repeating: { turn, times } };

  const { repeating } = lane;
  if (repeating !== undefined && !holds(repeating.turn, "until")) {
    const most = turns[repeating.turn]!.repeat?.at_most ?? defaultRepeats;
    if (repeating.times < most) return play(repeating.turn, lane, repeating.times + 1);
    const message = `turn ${repeating.turn + 1} of lane ${name} was played ${most} times, ` +
      `and what it repeats for has not come: ${request.summary}`;
    return { kind: "refuse", failure: { kind: "repeats", message } };
  }
  const waited = lane.waiting.find((turn) => holds(turn, "match"));
  if (waited !== undefined) {
    return play(waited, { ...lane, waiting: lane.waiting.filter((turn) => turn !== waited) });
  }
  const waiting = [...lane.waiting];
  for (let turn = lane.next; turn < turns.length; turn++) {
    const { when, match } = turns[turn]!;
    if (when !== undefined && !holds(turn, "when")) continue;
    if (match === undefined || holds(turn, "match")) return play(turn, { ...lane, next: turn + 1, waiting });
    waiting.push(turn);
  }
  return { kind: "refuse", failure: nothingLeft(name, turns.length, waiting, request) };
}

function nothingLeft(
  name: string,
  length: number,
  waiting: readonly number[],
  { summary }: JudgedRequest,
): PlaybookFailure {
  const turns = length === 1 ? "its turn" : `all of its ${length} turns`;
  return waiting.length === 0
    ? { kind: "ran-dry", message: `lane ${name} has played ${turns}, and is asked for one more: ${summary}` }
    : {
      kind: "no-turn",
      message: `no turn of lane ${name} fits (${
        waiting.map((turn) => turn + 1).join(", ")
      } wait for another request): ${summary}`,
    };
}

type TakenLane =
  | { kind: "lane"; index: number; state: PlaybookState }
  | { kind: "side" }
  | { kind: "refuse"; failure: PlaybookFailure };

function takeLane(playbook: Playbook, state: PlaybookState, request: JudgedRequest): TakenLane {
  const { agent, side } = request;
  const [matching] = request.lanes;
  if (matching !== undefined) return { kind: "lane", index: matching, state };
  if (agent !== undefined) return laneOfAgent(playbook, state, request, agent);
  const index = playbook.lanes.findIndex((lane) => side === undefined ? isMain(lane) : lane.side === side);
  if (index >= 0) return { kind: "lane", index, state };
  if (side !== undefined) return { kind: "side" };
  return noLane(`the playbook has no main lane, and none that matches: ${request.summary}`);
}

const isMain = ({ subagent, side, match }: Playbook["lanes"][number]): boolean =>
  subagent === undefined && side === undefined && match === undefined;

const noLane = (message: string): TakenLane => ({ kind: "refuse", failure: { kind: "no-lane", message } });

function laneOfAgent(
  { lanes }: Playbook,
  state: PlaybookState,
  { opening = "", summary }: JudgedRequest,
  agent: string,
): TakenLane {
  const known = state.lanes.findIndex((lane) => lane.agent === agent);
  if (known >= 0) return { kind: "lane", index: known, state };
  const agents = state.agents.includes(agent) ? state.agents : [...state.agents, agent];
  const order = agents.indexOf(agent) + 1;
  const spawn = state.spawns.find(({ prompt }) => prompt !== "" && opening.includes(prompt));
  const free = (index: number) => state.lanes[index]!.agent === undefined;
  const index = lanes.findIndex(({ subagent }, at) => subagent === order && free(at));
  const typed = lanes.findIndex(({ subagent }, at) =>
    typeof subagent === "string" && free(at) && fitsGlob(subagent, spawn?.type ?? "")
  );
  const taken = index >= 0 ? index : typed;
  const who = spawn === undefined ? `subagent ${order}` : `subagent ${order} (${spawn.type})`;
  if (taken < 0) return noLane(`the playbook has no lane left for ${who}: ${summary}`);
  return {
    kind: "lane",
    index: taken,
    state: {
      agents,
      spawns: state.spawns.filter((each) => each !== spawn),
      lanes: state.lanes.map((lane, at) => at === taken ? { ...lane, agent } : lane),
    },
  };
}

/** Names the turns that have not been played and are neither optional nor conditional. */
export function turnsLeft({ lanes }: Playbook, state: PlaybookState): PlaybookFailure[] {
  return lanes.flatMap(({ name, turns }, index): PlaybookFailure[] => {
    const { next, waiting } = state.lanes[index]!;
    const left = turns.flatMap(({ optional, when }, turn) =>
      (turn >= next || waiting.includes(turn)) && !optional && when === undefined ? [turn] : []
    );
    if (left.length === 0) return [];
    const numbers = left.slice(0, 10).map((turn) => turn + 1).join(", ");
    const more = left.length > 10 ? ` and ${left.length - 10} more` : "";
    const word = left.length === 1 ? "turn" : "turns";
    return [{ kind: "left-over", message: `lane ${name}: ${word} ${numbers}${more} not played` }];
  });
}
