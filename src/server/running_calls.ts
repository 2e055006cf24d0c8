/**
 * Calls that are under way. Many hosts give a call up after a minute, unless they hear of progress: one that asked for none gets
 * a handle in time, and the work goes on behind it until its answer is fetched with `pth_get_answer`.
 *
 * Programs that take structured content get no handles: a handle does not fit the schema of a tool's answers, and a program
 * sets its own limit.
 */
import { PthError } from "../core/errors.ts";
import type { ProgressStep } from "../api/harness.ts";
import { abortSentinel, raceAbort } from "../core/waiting.ts";
import type { ToolAnswer } from "../tools/tool.ts";
import { type CallProgress, callTimesText } from "./progress.ts";

/** Number of latest answers that are kept for `pth_get_answer`. */
const answersKept = 8;

interface ToolCallRequest {
  tool: string;
  /** Fires when the caller withdraws the request. */
  signal: AbortSignal;
  progress: CallProgress;
  /** A handle takes the answer's place where that takes long. */
  handle: boolean;
}

/** Request that `pth_get_answer` makes. */
interface AnswerRequest {
  call: string;
  cancel: boolean;
  signal: AbortSignal;
  /** Hears of the call's steps. */
  onStep(step: ProgressStep): void;
  /** Waits for the answer as long as it takes. */
  patient: boolean;
}

export interface RunningCalls {
  /** Does a call's work, and resolves with its answer or with a handle. */
  run(request: ToolCallRequest, work: (signal: AbortSignal) => Promise<ToolAnswer>): Promise<ToolAnswer>;
  /** The answer of an earlier call, or that it still runs. @throws what the call failed with; `INVALID_INPUT` for an unknown one */
  answer(request: AnswerRequest): Promise<ToolAnswer>;
  /** Each other call that is under way: its tool, for how long, and its latest step. */
  others(progress: CallProgress): string[];
  /** Whether any handle has been given. */
  readonly given: boolean;
  /** Calls the listener when the first handle is given. */
  onFirstHandle(listener: () => void): void;
  /** Stops what is under way: nobody is there to ask for it any more. */
  stop(): void;
}

interface Call {
  tool: string;
  progress: CallProgress;
  begun: number;
  stop: AbortController;
  answer: Promise<ToolAnswer>;
  /** Handle, once one has been given. */
  id?: string;
  ended: boolean;
}

export function runningCalls({ handleAfterMs: afterMs }: { handleAfterMs: number }): RunningCalls {
  const running = new Set<Call>();
  const handed = new Map<string, Call>();
  const listeners: (() => void)[] = [];
  let count = 0;

  function begin(
    { tool, progress }: ToolCallRequest,
    stop: AbortController,
    work: (signal: AbortSignal) => Promise<ToolAnswer>,
  ): Call {
    const call: Call = { tool, progress, begun: Date.now(), stop, answer: work(stop.signal), ended: false };
    running.add(call);
    const over = () => {
      call.ended = true;
      running.delete(call);
      progress.end();
    };
    call.answer.then(over, over);
    return call;
  }

  function handOut(call: Call): ToolAnswer {
    call.id = `call-${++count}`;
    handed.set(call.id, call);
    forgetOldest();
    if (count === 1) { for (const listener of listeners) listener(); }
    return stillRuns(call);
  }

  /** Forgets the oldest ended calls; what still runs stays, since nobody could stop it any more. */
  function forgetOldest(): void {
    for (const [id, { ended }] of handed) {
      if (handed.size <= answersKept) return;
      if (ended) handed.delete(id);
    }
  }

  function find(id: string): Call {
    const call = handed.get(id);
    if (call !== undefined) return call;
    const known = [...handed.values()].map((each) => `${each.id} (${each.tool})`);
    throw new PthError("INVALID_INPUT", `Cannot answer ${id}: no such call, or its answer has expired`, {
      next: [
        known.length > 0 ? `Ask for one of: ${known.join(", ")}` : "No call has an answer waiting",
      ],
    });
  }

  return {
    async run(request, work) {
      const { signal } = request;
      const stop = new AbortController();
      const withdraw = () => stop.abort(signal.reason);
      if (signal.aborted) withdraw();
      signal.addEventListener("abort", withdraw, { once: true });
      const call = begin(request, stop, work);
      try {
        const answer = request.handle ? await inTime(call.answer, afterMs) : await call.answer;
        return answer === abortSentinel ? handOut(call) : answer;
      } finally {
        signal.removeEventListener("abort", withdraw);
      }
    },
    async answer({ call: id, cancel, signal, onStep, patient }) {
      const call = find(id);
      const { tool, answer, ended, begun } = call;
      if (cancel && !ended) {
        call.stop.abort(new PthError("INTERRUPTED", `Cannot go on with ${tool}: it was cancelled`));
      }
      const unfollow = call.progress.follow(onStep);
      try {
        const result = await raceAbort(patient ? answer : inTime(answer, afterMs), signal);
        return result === abortSentinel ? stillRuns(call) : result;
      } catch (error) {
        if (!cancel || ended || signal.aborted) throw error;
        return { text: `${tool} is cancelled; it ran for ${callTimesText(Date.now() - begun)}.`, data: {} };
      } finally {
        unfollow();
      }
    },
    others: (progress) =>
      [...running].filter((call) => call.progress !== progress).map((call) =>
        `${call.id === undefined ? "" : `${call.id}, `}${call.tool}, for ${
          callTimesText(Date.now() - call.begun)
        }: ${call.progress.latest()}`
      ),
    get given() {
      return count > 0;
    },
    onFirstHandle: (listener) => void listeners.push(listener),
    stop() {
      for (const { stop } of running) stop.abort(new PthError("INTERRUPTED", "Cannot go on: PTH is ending"));
    },
  };
}

function stillRuns({ id, tool, begun, progress, stop }: Call): ToolAnswer {
  const state = stop.signal.aborted ? "is being stopped" : "still runs";
  return {
    text: [
      `${tool} ${state}, for ${callTimesText(Date.now() - begun)} now: ${progress.latest()}`,
      `Next: pth_get_answer({ call: "${id}" }) waits for its answer; with cancel: true it is stopped.`,
    ].join("\n"),
    data: {},
  };
}

/** Returns what the work comes to, or `aborted` when the time is up. */
async function inTime<T>(work: Promise<T>, milliseconds: number): Promise<T | typeof abortSentinel> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), milliseconds);
  try {
    return await raceAbort(work, late.signal);
  } finally {
    clearTimeout(timer);
  }
}
