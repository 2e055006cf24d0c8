/** Calls one tool with many inputs, in one go or in several, and keeps each fault that it meets once. */
import type { FuzzReport } from "../../../machines/model/fuzz.ts";
import { count } from "../../core/text.ts";
import { definedOnly } from "../../core/values.ts";
import { type FuzzInput, type InputOptions, type ToolInputs, toolInputs } from "./arbitraries/inputs.ts";
import { CallTally } from "./call_tally.ts";
import { complaints, type Fault } from "./fault.ts";
import type { FuzzServer } from "./fuzz_server.ts";
import { type CalledInput, planInputs, type PlanOptions } from "./plan_inputs.ts";
import { PreparedInputs, type PreparingOptions } from "./prepared_inputs.ts";
import type { Callable } from "./replay.ts";

export interface ExploreOptions extends PlanOptions, InputOptions, PreparingOptions {}

/** Answers that are asked for a second time. */
const mostRepeats = 20;
/** Kinds of faults of one tool; the message of one more may differ with each input. */
const mostFaults = 12;
/** Accepted inputs that are kept for measurements. */
const mostAnswered = 20;
/** Calls that a tool gets even if its share of the time is over. */
const leastCalls = 3;

export interface Share {
  /** Milliseconds on the clock of the server: end of this tool's share, and of everything. */
  until: number;
  end: number;
  onCall?: (done: number) => void;
}

export class ToolExploration {
  readonly callable: Callable;
  readonly faults: Fault[] = [];
  /** Inputs that were accepted, for measurements. */
  readonly answered: FuzzInput[] = [];
  readonly notes: string[] = [];
  /** Reason why it does not go on; absent while it may. */
  ended: "complete" | "given up" | "not fuzzed" | undefined;
  readonly inputs: ToolInputs | undefined;
  readonly #options: ExploreOptions;
  readonly #planned: readonly CalledInput[];
  readonly #known = new Set<string>();
  readonly #prepared: PreparedInputs;
  readonly #tally = new CallTally();
  #next = 0;
  #repeats = 0;
  #leftOut = 0;

  constructor(callable: Callable, options: ExploreOptions) {
    this.callable = callable;
    this.#options = options;
    this.#prepared = new PreparedInputs(callable, options);
    const { tool } = callable;
    this.inputs = toolInputs(tool.inputSchema, options);
    const { inputs, problem } = planInputs(tool, this.inputs, options);
    this.#planned = inputs;
    if (problem !== undefined) {
      this.ended = "not fuzzed";
      this.notes.push(`not fuzzed: ${problem}`);
    }
  }

  get isReader(): boolean {
    return this.callable.tool.annotations?.readOnlyHint === true;
  }

  get usualMs(): number {
    return this.#tally.usualMs;
  }

  get calls(): number {
    return this.#tally.calls;
  }

  /** @param cut reason why inputs are missing, if some are */
  report(cut: string): FuzzReport["tools"][number] {
    const { calls, accepted, refused } = this.#tally;
    const note = [...this.notes, ...this.#shortcomings(cut)].join("; ");
    return { tool: this.callable.tool.name, calls, accepted, refused, ...(note === "" ? {} : { note }) };
  }

  /** Inputs that were not called, as time was over. */
  get missing(): number {
    return this.ended === undefined ? this.#planned.length - this.#next : 0;
  }

  /** Goes on until its inputs, its share of the time or its chances are used up. @throws as `FuzzServer.call` */
  async explore(server: FuzzServer, { until, end, onCall }: Share): Promise<void> {
    for (let calls = 0; this.ended === undefined; calls++) {
      if (this.#next >= this.#planned.length) this.ended = "complete";
      else if (this.#tally.hasToldAll) this.#giveUp();
      else if (server.now() > (calls < leastCalls ? end : until)) return;
      else {
        await this.#call(this.#planned[this.#next]!, server);
        this.#next++;
        onCall?.(this.#next);
      }
    }
  }

  async #call(planned: CalledInput, server: FuzzServer): Promise<void> {
    const { tool } = this.callable;
    const made = await this.#prepared.inputOf(planned, server);
    if (made === undefined) return;
    const { input, template } = made;
    const valid = planned.from === undefined ? planned.breach === undefined : this.callable.isValid(input);
    const steady = this.isReader || tool.annotations?.idempotentHint === true;
    const repeat = steady && valid && this.#repeats < mostRepeats;
    const { violation } = planned;
    // That it hangs is known after the first time; to see it again takes no such long wait, nor a new server.
    const patient = this.#tally.hangs > 0;
    const { limitMs } = this.#options;
    const call = await server.call({
      ...{ tool, input, valid, repeat, patient },
      limitMs: patient ? shorterLimit(limitMs, this.usualMs) : limitMs,
      ...(violation === undefined ? {} : { violation }),
      ...(template === undefined ? {} : { template }),
    });
    this.#tally.add(call);
    if (repeat) this.#repeats++;
    if (call.outcome?.isError === false && this.answered.length < mostAnswered) {
      this.answered.push(definedOnly({ input, breach: planned.breach }));
    }
    for (const { oracle, complaint } of complaints(call)) {
      this.#meet({
        ...{ oracle, complaint, path: planned.path, earlier: call.earlier?.() },
        drawn: definedOnly({ input, breach: planned.breach, violation: planned.violation, template }),
      });
    }
  }

  /** Keeps a fault once; an input that the schema allows shows more than one that it forbids. */
  #meet(fault: Fault): void {
    const key = `${fault.oracle.name}\n${fault.complaint.signature}`;
    const at = this.faults.findIndex((other) => `${other.oracle.name}\n${other.complaint.signature}` === key);
    if (at >= 0 && this.faults[at]!.drawn.breach !== undefined && fault.drawn.breach === undefined) {
      this.faults[at] = fault;
    }
    if (this.#known.has(key)) return;
    if (this.#known.size >= mostFaults) return void this.#leftOut++;
    this.#known.add(key);
    this.faults.push(fault);
  }

  #giveUp(): void {
    this.ended = "given up";
    const { calls, failuresText } = this.#tally;
    this.notes.push(`given up after ${calls} of ${this.#options.runs} inputs: ${failuresText}`);
  }

  /** Tells what was not tried, and why. */
  *#shortcomings(cut: string): Generator<string> {
    const { calls, refusalText } = this.#tally;
    if (this.ended === undefined) {
      yield calls === 0 ? `not reached: ${cut}` : `${cut} after ${calls} of ${this.#options.runs} inputs`;
    }
    const { failed } = this.#prepared;
    if (failed > 0) {
      yield `${count(failed, "input")} not called: the calls before them did not work this time`;
    }
    if (this.#leftOut > 0) yield `${mostFaults} kinds of faults were looked at, and no others`;
    if (refusalText !== undefined) yield refusalText;
  }
}

/** A limit for a tool whose usual time for an answer is known. */
export const shorterLimit = (limitMs: number, usualMs: number): number =>
  Math.min(limitMs, Math.max(150, usualMs * 10));
