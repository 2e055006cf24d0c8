/** Tells what a call does: as MCP progress, whose number only grows whatever steps count, and to whoever asks later. */
import type { ProgressStep } from "../api/harness.ts";

export interface ProgressNote {
  progress: number;
  total?: number;
  message: string;
}

export interface CallProgress {
  step(step: ProgressStep): void;
  /** The latest step and how long ago it came, such as "install: npm install (35 s)". */
  latest(): string;
  /** Calls the listener with each later step; the answer unsubscribes. */
  follow(listener: (step: ProgressStep) => void): () => void;
  /** The call has its answer: nothing is sent any more. */
  end(): void;
}

interface ProgressOptions {
  /** Stands for a step until the first one comes. */
  title: string;
  /** Absent where the caller asked for no progress. */
  send?: ((note: ProgressNote) => void) | undefined;
  /** Milliseconds without a step after which the latest step is sent again. */
  silenceMs: number;
}

export function callProgress({ title, send, silenceMs }: ProgressOptions): CallProgress {
  const notes = progressNotes();
  const listeners = new Set<(step: ProgressStep) => void>();
  let text = title;
  let since = Date.now();
  let sent = since;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const latest = () => `${text} (${callTimesText(Date.now() - since)})`;
  const tell = (note: ProgressNote | undefined): void => {
    if (note === undefined || send === undefined) return;
    sent = Date.now();
    send(note);
  };
  const watch = (milliseconds: number): void => {
    timer = setTimeout(() => {
      const rest = sent + silenceMs - Date.now();
      if (rest <= 0) tell(notes.again(latest()));
      watch(rest > 0 ? rest : silenceMs);
    }, milliseconds);
  };
  if (send !== undefined) watch(silenceMs);
  let ended = false;
  return {
    step(step) {
      if (ended) return;
      const now = textOf(step);
      if (now !== text) [text, since] = [now, Date.now()];
      tell(notes.of(step));
      for (const listener of listeners) listener(step);
    },
    latest,
    follow(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    end() {
      ended = true;
      clearTimeout(timer);
      listeners.clear();
    },
  };
}

const textOf = ({ phase, message }: ProgressStep): string => `${phase}: ${message}`;

interface Notes {
  /** Undefined where the step counts no further than the last one did. */
  of(step: ProgressStep): ProgressNote | undefined;
  /** A sign of life between two steps. */
  again(message: string): ProgressNote;
}

/** A phase that counts (`done` of `total`) starts where the phase before it ended. */
export function progressNotes(): Notes {
  /** Progress that steps have reached, in whole numbers. */
  let last = 0;
  let base = 0;
  let phase: string | undefined;
  let total: number | undefined;
  /** Signs of life since the last step. */
  let beats = 0;

  const note = (progress: number, message: string): ProgressNote => ({
    progress,
    message,
    ...(total !== undefined && total >= progress ? { total } : {}),
  });
  return {
    of(step) {
      if (step.phase !== phase) base = last;
      phase = step.phase;
      const progress = step.done === undefined ? last + 1 : base + step.done;
      if (progress <= last) return undefined;
      last = progress;
      beats = 0;
      total = step.total === undefined ? undefined : base + step.total;
      return note(progress, textOf(step));
    },
    again(message) {
      beats++;
      return note(last + beats / (beats + 1), message);
    },
  };
}

/** Tells how long something has taken so far: `35 s`, `2 min 5 s`, `1 h 3 min`. */
export function callTimesText(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
