/** The server under fuzzing: one call at a time, a new instance whenever the old one is lost, stuck or in doubt. */
import type { CallOutcome, ConnectionLoss } from "../../../machines/model/plugin.ts";
import type { Connection } from "../../client/connection.ts";
import { asPthError, PthError } from "../../core/errors.ts";
import { definedOnly } from "../../core/values.ts";
import type { PastCall, SeenCall } from "./oracle.ts";

/** Source of server instances. */
export interface FuzzHost {
  /** @throws {PthError} when no server can be had */
  open(): Promise<Connection>;
  /** Ends an instance, also one that is already gone. */
  close(connection: Connection): Promise<void>;
  /** Memory of an instance and its children in MB; undefined where it cannot be measured. */
  megabytes(connection: Connection): Promise<number | undefined>;
  /** Without secrets: messages show pieces of answers, and half a secret would not be known as one. */
  hide<Value>(value: Value): Value;
  /** Time in ms, for shares and limits of the search; `performance.now()` unless given. */
  now?(): number;
}

interface FuzzCall extends Pick<SeenCall, "tool" | "input" | "valid" | "violation"> {
  limitMs: number;
  /** Make the call a second time. */
  repeat?: boolean;
  /** A server that let the call hang and still answers ping is used on: for tries that are confirmed later. */
  patient?: boolean;
  template?: Record<string, unknown>;
  /** Values of the answer that a later call may need: variable name to place. */
  capture?(outcome: CallOutcome): Record<string, string>;
}

/** A server that has answered a call answers a ping in this time, unless it has got stuck. */
const pingMs = 2_000;
/** The connection keeps this many stray lines at most (100), and says no more of others. */
const mostStray = 90;
/** Calls of one server that are remembered, so that they can be made again. */
const mostRemembered = 500;

interface Alive {
  pinged: boolean;
  stuck: boolean;
  loss?: ConnectionLoss;
}

const unasked: Alive = { pinged: false, stuck: false };

export class FuzzServer {
  restarts = 0;
  /** Number of the current server, from 1. */
  number = 0;
  readonly #host: FuzzHost;
  readonly #signal: AbortSignal;
  /** Calls of the current server, the first ones of many. */
  #past: PastCall[] = [];
  #calls = 0;
  /** Placeholders (`undefined`, `NaN` …) among all that was ever sent: a server may show them again. */
  readonly #placeholders = new Set<string>();
  #current: Connection | undefined;
  /** Started ahead once a server has been lost: a shrinking crash needs many. */
  #spare: Promise<Connection> | undefined;
  #wantsSpare = false;

  constructor(host: FuzzHost, signal: AbortSignal) {
    this.#host = host;
    this.#signal = signal;
  }

  now(): number {
    return this.#host.now?.() ?? performance.now();
  }

  /** The current server has had no call. */
  get isFresh(): boolean {
    return this.#calls === 0;
  }

  /** Calls, and says what was seen. @throws {PthError} when no server can be started; the signal's reason */
  async call(
    { tool, input, valid, violation, limitMs, repeat = false, patient = false, template, capture }: FuzzCall,
  ): Promise<SeenCall> {
    const connection = await this.#ready();
    const [past, earlier] = [this.#past, this.#calls];
    this.#calls++;
    for (const placeholder of placeholdersIn(input)) this.#placeholders.add(placeholder);
    const strayBefore = connection.strayOutput().length;
    const stderrBefore = connection.stderrTail();
    const answer = await this.#answer(connection, tool.name, input, limitMs);
    const again = repeat && answer.outcome !== undefined
      ? (await this.#answer(connection, tool.name, input, limitMs)).outcome
      : undefined;
    // Asks whether it still lives, and brings what it wrote on stdout before.
    const after: Alive = answer.outcome === undefined ? unasked : await this.#alive(connection);
    const stray = connection.strayOutput();
    const seen: SeenCall = {
      tool,
      input,
      valid,
      ...definedOnly({ violation }),
      ...answer,
      ...(after.loss === undefined ? {} : { loss: after.loss }),
      stray: stray.slice(strayBefore),
      stderr: addedText(stderrBefore, connection.stderrTail()),
      ...(again === undefined ? {} : { again }),
      placeholders: this.#placeholders,
      earlier: () => earlier > mostRemembered ? undefined : past.slice(0, earlier),
    };
    if (past.length < mostRemembered) {
      const isError = answer.outcome?.isError === true;
      const captured = answer.outcome && capture?.(answer.outcome);
      past.push({ tool: tool.name, input, isError, ...definedOnly({ template, capture: captured }) });
    }
    const unanswered = answer.outcome === undefined && !(patient && answer.silence?.answersPing);
    if (unanswered || after.stuck || after.loss || stray.length > mostStray) await this.renew();
    return seen;
  }

  /** From now on another instance answers. */
  async renew(): Promise<void> {
    const old = this.#current;
    this.#current = undefined;
    this.#past = [];
    this.#calls = 0;
    if (old === undefined) return;
    this.#wantsSpare = true;
    await this.#host.close(old);
  }

  /** Starts a server where none is there. @throws {PthError} when none can be started */
  async ready(): Promise<void> {
    await this.#ready();
  }

  async megabytes(): Promise<number | undefined> {
    return await this.#host.megabytes(await this.#ready());
  }

  async close(): Promise<void> {
    // A spare that did not start has nothing to close.
    const spare = await this.#spare?.catch(() => undefined);
    const open = [this.#current, spare];
    this.#current = this.#spare = undefined;
    for (const connection of open) if (connection) await this.#host.close(connection);
  }

  async #ready(): Promise<Connection> {
    this.#signal.throwIfAborted();
    if (this.#current === undefined) {
      const spare = this.#spare;
      this.#spare = undefined;
      if (this.#wantsSpare) this.restarts++;
      this.#current = await (spare ?? this.#host.open());
      this.number++;
    }
    if (this.#wantsSpare && this.#spare === undefined) {
      this.#spare = this.#host.open();
      // Expected when the server does not start: the next caller gets the error; until then it must not count as unhandled.
      this.#spare.catch(() => undefined);
    }
    return this.#current;
  }

  async #answer(
    connection: Connection,
    tool: string,
    input: Record<string, unknown>,
    limitMs: number,
  ): Promise<Pick<SeenCall, "outcome" | "loss" | "silence" | "callError">> {
    const silent = new PthError("SERVER_SILENT", `Cannot call ${tool}: no answer within ${limitMs} ms`);
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(silent), limitMs);
    const giveUp = () => stop.abort(this.#signal.reason);
    this.#signal.addEventListener("abort", giveUp, { once: true });
    let progress = 0;
    try {
      return {
        outcome: this.#host.hide(
          await connection.callTool(tool, input, {
            signal: stop.signal,
            onProgress: () => progress++,
            onActivity: () => progress++,
          }),
        ),
      };
    } catch (thrown) {
      this.#signal.throwIfAborted();
      if (thrown === silent) {
        return {
          silence: { afterMs: limitMs, answersPing: (await this.#alive(connection)).pinged, progress },
        };
      }
      const { code, message, context } = asPthError(thrown);
      if (code === "SERVER_LOST") return { loss: await lossOf(connection) };
      const text = [message, context.output].filter(Boolean).join("\n");
      return { callError: { code, message: this.#host.hide(text) } };
    } finally {
      clearTimeout(timer);
      this.#signal.removeEventListener("abort", giveUp);
    }
  }

  async #alive(connection: Connection): Promise<Alive> {
    try {
      await connection.ping(pingMs);
      return { pinged: true, stuck: false };
    } catch (thrown) {
      this.#signal.throwIfAborted();
      const { code } = asPthError(thrown);
      if (code === "SERVER_LOST") return { pinged: false, stuck: false, loss: await lossOf(connection) };
      return { pinged: false, stuck: true };
    }
  }
}

/** Describes how the server ended; the end of its process may be reported a moment after the end of its pipes. */
async function lossOf(connection: Connection): Promise<ConnectionLoss> {
  const unknown: ConnectionLoss = {
    reason: "closed",
    exitCode: null,
    signal: null,
    stderrTail: connection.stderrTail(),
    message: "the connection was lost",
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<ConnectionLoss>((resolve) => timer = setTimeout(() => resolve(unknown), 3_000));
  try {
    return await Promise.race([connection.lost, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Text that a bounded tail of a log gained. */
function addedText(before: string, after: string): string {
  if (after.startsWith(before)) return after.slice(before.length);
  const end = before.slice(-200);
  const at = after.lastIndexOf(end);
  return at < 0 ? after : after.slice(at + end.length);
}

/** Multiple of the limit after which a call counts as hanging: some tools sleep 10 s by default. */
export const hangFactor = 3;

/** Words that fuzzing sends on purpose, and that in an answer would tell of a mistake. */
function placeholdersIn(input: unknown): string[] {
  const text = JSON.stringify(input);
  return ["undefined", "null", "NaN", "[object Object]"].filter((word) => text.includes(word));
}
