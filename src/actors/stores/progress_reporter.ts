/** Reports of long work: its steps, their output and their times, without secrets. */
import type { SessionNote, Timings } from "../../../machines/model/session.ts";
import type { PublishedEvent } from "../../api/harness.ts";
import { OperationTimings } from "../session/operation_timings.ts";
import type { SecretVault } from "./secret_vault.ts";

/** Longest part of an unfinished line that is kept, in characters. */
const longestLine = 64 * 1024;

/** A step of long work that has started. */
export interface RunningStep {
  /** @param outcome in place of the message that it started with */
  finish(outcome?: string): void;
  fail(error: unknown): void;
}

export class ProgressReporter {
  readonly publish: (event: PublishedEvent) => void;
  /** The latest duration of each step that a report names. */
  readonly timings: Timings = {};
  readonly operations = new OperationTimings();
  readonly #secrets: SecretVault;

  constructor(secrets: SecretVault, publish: (event: PublishedEvent) => void) {
    this.#secrets = secrets;
    this.publish = publish;
  }

  /** Runs one step of long work and reports when it starts and how it ends. */
  async step<T>(
    phase: string,
    message: string,
    work: () => Promise<T>,
    done?: (result: T) => string,
  ): Promise<T> {
    const step = this.begin(phase, message);
    try {
      const result = await work();
      step.finish(done?.(result));
      return result;
    } catch (error) {
      step.fail(error);
      throw error;
    }
  }

  /** Reports that a step starts; the caller reports its end. */
  begin(phase: string, message: string): RunningStep {
    const started = performance.now();
    const hide = this.#secrets.redact.text;
    this.publish({ type: "step.started", phase, message: hide(message) });
    return {
      finish: (outcome = message) => {
        const durationMs = performance.now() - started;
        const key = `${phase}_ms`;
        this.operations.note(phase, durationMs);
        if (isTiming(key)) this.timings[key] = Math.round(durationMs);
        this.publish({ type: "step.finished", phase, message: hide(outcome), durationMs });
      },
      fail: (error) => this.publish({ type: "step.failed", phase, error: this.#secrets.redactError(error) }),
    };
  }

  /** Returns a function that reports the output of a step, one message at a time. */
  messages(phase: string): (text: string) => void {
    return (text) => this.publish({ type: "step.output", phase, text: this.#secrets.redact.text(text) });
  }

  /** Returns a function that reports output as it comes. Unfinished lines are held back: a secret may span two pieces. */
  output(phase: string): (text: string, stream?: string) => void {
    const publish = this.messages(phase);
    const begun = new Map<string, string>();
    return (text, stream = "") => {
      const all = (begun.get(stream) ?? "") + text;
      const end = Math.max(all.lastIndexOf("\n"), all.lastIndexOf("\r")) + 1;
      begun.set(stream, this.#endOf(all.slice(end)));
      if (end > 0) publish(all.slice(0, end));
    };
  }

  /** Shortens an unfinished line. A cut must not go through a secret, which would not be recognized any more. */
  #endOf(line: string): string {
    return line.length <= longestLine ? line : this.#secrets.redact.text(line).slice(-longestLine);
  }

  note(note: SessionNote): void {
    const { terminal, mcp } = typeof note === "string" ? { terminal: note } : note;
    const message = this.#secrets.redact.text(terminal);
    const other = mcp === undefined ? {} : { mcp: this.#secrets.redact.text(mcp) };
    this.publish({ type: "session.noted", message, ...other });
  }
}

const timingKeys = ["provision_ms", "install_ms", "build_ms", "start_ms", "suite_ms", "learn_ms"] as const;
const isTiming = (key: string): key is typeof timingKeys[number] =>
  (timingKeys as readonly string[]).includes(key);
