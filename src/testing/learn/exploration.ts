/** One server instance that is explored: which calls it accepted, and what their answers gave. */
import type { CallOutcome } from "../../../machines/model/plugin.ts";
import type { FuzzServer } from "../fuzz/fuzz_server.ts";
import { exclusionReason, realPlace } from "../generate/excluded_tools.ts";
import { answerValues } from "./answer_values.ts";
import type { Attempt } from "./attempt.ts";
import { type CalledTool, callTool } from "./called_tool.ts";
import { inputPlaces, isSamePath } from "./input_places.ts";
import { KnownValues, placesOfSubject } from "./known_values.ts";
import type { ExploredCall } from "./explored_call.ts";
import { type SearchHost, searchInput } from "./search_input.ts";
import { toolPhase } from "./tool_phase.ts";
import type { StartingInputs } from "./starting_inputs.ts";

export interface ExplorationOptions {
  limitMs: number;
  folder: string | undefined;
  /** Whether the example pages are served. */
  page: boolean;
  /** Asked before each call; false ends the exploration. */
  mayCall(): boolean;
}

export class Exploration implements SearchHost {
  readonly values = new KnownValues();
  readonly accepted: ExploredCall[] = [];
  readonly folder: string | undefined;
  readonly page: boolean;
  readonly #server: FuzzServer;
  readonly #inputs: ReadonlyMap<string, StartingInputs>;
  readonly #options: ExplorationOptions;
  #restarts: number;
  #made = 0;
  /** Tools that were searched because others ask for them, since something new was accepted. */
  readonly #searched = new Set<string>();

  constructor(server: FuzzServer, inputs: ReadonlyMap<string, StartingInputs>, options: ExplorationOptions) {
    this.#server = server;
    this.#inputs = inputs;
    this.#options = options;
    this.#restarts = server.restarts;
    this.folder = options.folder;
    this.page = options.page;
  }

  get tools() {
    return [...this.#inputs.values()].map(({ tool }) => tool);
  }

  /** The latest call of a tool that was accepted. */
  latest(tool: string): ExploredCall | undefined {
    return this.accepted.findLast((call) => call.tool === tool);
  }

  async call(inputs: StartingInputs, attempt: Attempt): Promise<CalledTool | undefined> {
    const before: ExploredCall[] = [];
    for (const name of attempt.first) {
      const call = await this.#callFirst(name);
      if (call !== undefined) before.push(call);
    }
    return await this.#callOnce(inputs, attempt, before);
  }

  /** One that refuses may have been called before, and be in effect; one that never was accepted is searched, once. */
  async #callFirst(name: string): Promise<ExploredCall | undefined> {
    const known = this.latest(name);
    const inputs = this.#inputs.get(name);
    if (inputs === undefined) return undefined;
    if (known !== undefined) await this.#callOnce(inputs, known.attempt, known.before);
    else if (!this.#searched.has(name)) {
      this.#searched.add(name);
      await searchInput(inputs, this);
    }
    return this.latest(name);
  }

  async #callOnce(
    { tool }: StartingInputs,
    attempt: Attempt,
    before: readonly ExploredCall[],
  ): Promise<CalledTool | undefined> {
    if (!this.#options.mayCall()) return undefined;
    const called = await callTool(this.#server, tool, attempt.input, this.#options.limitMs);
    if (this.#server.restarts !== this.#restarts) this.#forget();
    if (called.accepted) {
      const isEnd = toolPhase(tool.name) === "end" || exclusionReason(tool, realPlace) !== undefined;
      this.#record({ at: this.#made++, tool: tool.name, attempt, before }, called.outcome, isEnd);
    }
    return called;
  }

  /** Another instance answers, which knows nothing of what was made. */
  #forget(): void {
    this.#restarts = this.#server.restarts;
    this.accepted.length = 0;
    this.values.clear();
  }

  #record(call: ExploredCall, outcome: CallOutcome, isEnd: boolean): void {
    this.accepted.push(call);
    this.#searched.clear();
    const { input, feeds } = call.attempt;
    const places = inputPlaces(input);
    if (isEnd) this.values.spend(placesOfSubject(places, call.tool).map(({ value }) => value));
    const own = places.filter(({ path }) => !feeds.some((feed) => isSamePath(feed.path, path)))
      .map(({ words, value }) => ({ value, key: words, parents: [], from: call }));
    this.values.add([...own, ...answerValues(outcome).map((value) => ({ ...value, from: call }))]);
  }
}
