/** The course of a session with a real model, made into a playbook: turns in lanes, with what their requests were like. */
import type { Lane, PlaybookText, SidePurpose, Turn } from "../../../machines/model/playbook.ts";
import { definedOnly, isObject } from "../../core/values.ts";
import { escapeVariables, isVariableName } from "../../testing/format/variables.ts";
import type { ModelTurn } from "../model_api/model_turn.ts";
import { folderVariables, type SessionFolders } from "../playbook/folder_variables.ts";
import type { ModelRequest } from "../playbook/model_request.ts";
import { type BroughtResult, findBinding } from "./find_binding.ts";
import { packRequests, type RecordedAgent } from "./pack_requests.ts";
import { type RequestImage, RequestImages } from "./request_images.ts";

/** Turns of one session. */
const mostTurns = 10_000;
/** Inputs of a lane that are searched for values. */
const mostInputs = 2_000;

interface RecordedLane {
  lane: Omit<Lane, "turns">;
  turns: Turn[];
  brought: BroughtResult[];
  /** Number of results that requests have brought. */
  results: number;
  /** Ids of the calls of the turn before, in their order. */
  calls: (string | undefined)[];
  /** Inputs of earlier calls. */
  inputs: string[];
  /** Variables by the values that they stand for. */
  variables: Map<unknown, string>;
}

export class SessionRecorder {
  readonly #folders: SessionFolders;
  readonly #images: RequestImages;
  readonly #byName = new Map<string, RequestImage>();
  readonly #lanes = new Map<string, RecordedLane>();
  readonly #spawns: { type: string; prompt: string }[] = [];
  readonly #agents: string[] = [];
  readonly #notes = new Set<string>();
  #turns = 0;

  constructor(folders: SessionFolders) {
    this.#folders = folders;
    this.#images = new RequestImages(folders);
  }

  /** Observations for people: parts of answers that a turn cannot hold. */
  get notes(): string[] {
    const { lost } = this.#images;
    return [
      ...this.#notes,
      ...(lost === 0 ? [] : [`${lost} requests were too much to keep: their drift will not be seen`]),
    ];
  }

  /**
   * Adds a request with its answer.
   * @param side Purpose of a call that the agent makes by itself.
   * @returns the name of its lane
   */
  add(request: ModelRequest, answer: ModelTurn, notes: readonly string[], side?: SidePurpose): string {
    const recorded = this.#laneOf(request, side);
    const { lane: { name }, turns } = recorded;
    if (this.#turns >= mostTurns) {
      this.#notes.add(`only the first ${mostTurns} turns are recorded`);
      return name;
    }
    this.#turns++;
    for (const note of notes) this.#notes.add(`lane ${name}, turn ${turns.length + 1}: ${note}`);
    const requestName = `r${this.#turns}`;
    const image = this.#images.take(name, request);
    if (image !== undefined) this.#byName.set(requestName, image);
    this.#bring(recorded, request);
    const turn = this.#turnOf(recorded, request, answer);
    turns.push({
      ...turn,
      // Agents ask for titles beside the conversation: whether in time differs.
      ...(side === undefined ? {} : { optional: true }),
      ...(image === undefined ? {} : { request: requestName }),
    });
    for (const { input = {} } of answer.calls ?? []) {
      const { subagent_type: type, prompt } = input;
      if (typeof type === "string" && typeof prompt === "string") this.#spawns.push({ type, prompt });
    }
    return name;
  }

  /** The playbook up to now; undefined while no turn was recorded. */
  playbook(agent: RecordedAgent): PlaybookText | undefined {
    if (this.#turns === 0) return undefined;
    const lanes = [...this.#lanes.values()].map(({ lane, turns }) => ({ ...lane, turns }));
    const main = lanes.find(({ name }) => name === "main");
    const others = lanes.filter((lane) => lane !== main);
    return {
      ...(main === undefined ? {} : { turns: main.turns }),
      ...(others.length === 0 ? {} : { lanes: others }),
      recorded: packRequests(agent, this.#byName, this.#images.tools),
    };
  }

  #laneOf(request: ModelRequest, side: SidePurpose | undefined): RecordedLane {
    const key = request.agent ?? (side === undefined ? "main" : `side ${side}`);
    const known = this.#lanes.get(key);
    if (known !== undefined) return known;
    const made: RecordedLane = {
      lane: this.#newLane(request, side),
      turns: [],
      brought: [],
      results: 0,
      calls: [],
      inputs: [],
      variables: new Map(),
    };
    this.#lanes.set(key, made);
    return made;
  }

  #newLane({ agent, messages }: ModelRequest, side: SidePurpose | undefined): Omit<Lane, "turns"> {
    if (agent === undefined) return side === undefined ? { name: "main" } : { name: side, side };
    this.#agents.push(agent);
    const opening = messages.filter(({ role }) => role === "user").slice(0, 2).map(({ text }) => text).join(
      "\n",
    );
    const spawn = this.#spawns.findIndex(({ prompt }) => prompt !== "" && opening.includes(prompt));
    const type = this.#spawns.splice(spawn, spawn < 0 ? 0 : 1)[0]?.type;
    const subagent = type === undefined || /[*?]/.test(type) ? this.#agents.length : type;
    const plain = typeof subagent === "number" ? `subagent ${subagent}` : subagent;
    const taken = [...this.#lanes.values()].filter(({ lane }) => lane.subagent === subagent).length;
    return { name: taken === 0 ? plain : `${plain} ${taken + 1}`, subagent };
  }

  /** Notes the results that the request brings. */
  #bring(recorded: RecordedLane, { results }: ModelRequest): void {
    const fresh = results.slice(results.length < recorded.results ? results.length : recorded.results);
    // Results that come in the order of their calls come so each time; others may not.
    const ids = fresh.map(({ id }) => id);
    const inOrder = ids.length === recorded.calls.length &&
      ids.every((id, at) => id !== undefined && id === recorded.calls[at]);
    recorded.results = results.length;
    fresh.forEach((result, at) => {
      const ofTool = fresh.filter(({ tool }) => tool === result.tool);
      recorded.brought.push({
        turn: recorded.turns.length,
        result,
        reached: ofTool.length === 1 ||
          (inOrder && fresh.findLastIndex(({ tool }) => tool === result.tool) === at),
      });
    });
  }

  #turnOf(recorded: RecordedLane, request: ModelRequest, answer: ModelTurn): Turn {
    const { text, thinking, calls, usage, error } = answer;
    const bind: NonNullable<Turn["bind"]> = {};
    const said = () => [
      request.system,
      JSON.stringify(request.tools),
      ...request.messages.filter(({ role }) => role !== "assistant").map(({ text }) => text),
      ...recorded.inputs,
    ];
    let texts: string[] | undefined;
    /** The variable for a value; undefined where its origin is not certain. */
    const variableFor = (value: unknown, key: string): string | undefined => {
      const known = recorded.variables.get(value);
      if (known !== undefined) return known;
      const found = findBinding(value, key, recorded.brought, texts ??= said());
      if (found === undefined) return undefined;
      const name = freeName(found.name, new Set(recorded.variables.values()));
      recorded.variables.set(value, name);
      if (found.turn === recorded.turns.length) bind[name] = found.binding;
      else {
        const earlier = recorded.turns[found.turn]!;
        recorded.turns[found.turn] = { ...earlier, bind: { ...earlier.bind, [name]: found.binding } };
      }
      return name;
    };
    const inInput = (value: unknown, key: string): unknown => {
      const name = variableFor(value, key);
      if (name !== undefined) return `$${name}`;
      if (typeof value === "string") return this.#portable(value);
      if (Array.isArray(value)) return value.map((item) => inInput(item, key));
      if (!isObject(value)) return value;
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inInput(item, name)]));
    };
    const made = calls?.map(({ tool, input = {} }) => ({ tool, input: inInput(input, "") as typeof input }));
    recorded.calls = calls?.map(({ id }) => id) ?? [];
    if (recorded.inputs.length < mostInputs) {
      recorded.inputs.push(...calls?.map(({ input }) => JSON.stringify(input)) ?? []);
    }
    return definedOnly({
      bind: Object.keys(bind).length === 0 ? undefined : bind,
      thinking: thinking === undefined ? undefined : this.#portable(thinking),
      text: text === undefined ? undefined : this.#portable(text),
      calls: made,
      usage,
      error,
    });
  }

  /** A text with `$project` and others in place of this session's folders. */
  #portable(text: string): string {
    const folders = folderVariables.map((name) => [name, this.#folders[name]] as const)
      .filter(([, path]) => path !== "").sort(([, a], [, b]) => b.length - a.length);
    return folders.reduce(
      (rest, [name, path]) =>
        rest.replaceAll(
          new RegExp(`${escapeVariables(path).replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")}(?![\\w-])`, "g"),
          () => `$${name}`,
        ),
      escapeVariables(text),
    );
  }
}

/** A name that is no folder's, nor another variable's of the lane. */
function freeName(wanted: string, taken: ReadonlySet<string>): string {
  const plain = wanted.replaceAll(/\W/g, "_");
  const name = isVariableName(plain) && !folderVariables.some((folder) => folder === plain) ? plain : "value";
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name}_${number}`)) number++;
  return `${name}_${number}`;
}
