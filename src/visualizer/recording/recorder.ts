/**
 * Records the events and states of a session's actors into any number of files. While there is none, only the
 * latest entries are kept in memory.
 */
import type { AnyActorRef, InspectionEvent } from "xstate";
import { PthError } from "../../core/errors.ts";
import { log } from "../../platform/log.ts";
import { definedOnly } from "../../core/values.ts";
import type { InspectedSnapshot, RecordingEntry, TakenTransition } from "./recording_entry.ts";
import { recordingFormat, type RecordingHeader } from "./format.ts";
import type { Redact } from "./json_text.ts";
import { lineOf, timestampMs } from "./line_of.ts";
import { createMemory, type RecorderMemory } from "./recorder_memory.ts";
import {
  type OpenRecordingWriter,
  openRecordingWriter,
  type RecordingWriter,
  type RecordingWriterOptions,
} from "./recording_writer.ts";

export interface Recorder {
  /** For XState's `inspect`; never throws. */
  inspect(event: InspectionEvent): void;
  /**
   * Writes a recording from now on, which begins with what is remembered.
   * @throws {PthError} `INVALID_INPUT` when the file cannot be written; `INTERNAL` after a fault in what records
   */
  writeTo(path: string, options?: RecordingWriterOptions): Promise<RecordingWriter>;
  /** An actor that lives, by its name in the recording. */
  actor(id: string): AnyActorRef | undefined;
  living(): AnyActorRef[];
  /** Ends all writing. */
  close(): Promise<void>;
}

export interface RecorderOptions {
  /** Takes out every secret that is, or was, one. */
  redact: Redact;
  /** Number of entries that are remembered for later viewers; 0 if there will be none. */
  remember: number;
  /** Header fields that describe the recorded command, read when a file is started. */
  about: () => Pick<RecordingHeader, "pth" | "command" | "target">;
}

/** Approximate number of characters that remembered events may hold together. */
const heaviest = 16 * 1024 * 1024;

export function createRecorder(options: RecorderOptions): Recorder {
  return new LiveRecorder(options);
}

/** State of a living actor that the next entries depend on. */
interface Track {
  actor: AnyActorRef;
  context: unknown;
  /** Since its last snapshot. */
  taken: TakenTransition[];
}

const none: readonly TakenTransition[] = [];

class LiveRecorder implements Recorder {
  readonly #redact: Redact;
  readonly #about: RecorderOptions["about"];
  readonly #memory: RecorderMemory;
  readonly #startedAt = new Date().toISOString();
  readonly #started = performance.now();
  readonly #tracks = new Map<string, Track>();
  readonly #writings = new Set<OpenRecordingWriter>();
  #order = 0;
  #fault: PthError | undefined;

  constructor({ redact, remember, about }: RecorderOptions) {
    this.#redact = redact;
    this.#about = about;
    this.#memory = createMemory(remember, heaviest);
  }

  inspect(event: InspectionEvent): void {
    if (this.#fault !== undefined) return;
    try {
      this.#hear(event);
    } catch (error) {
      // Whatever is wrong here, the session must not suffer from being recorded.
      const fault = this.#fault = new PthError(
        "INTERNAL",
        "Cannot continue recording: internal error of PTH",
        {
          next: ["The session continues; the log has the error"],
        },
      );
      log.error(fault.message, { error });
      for (const writing of this.#writings) void writing.close(fault);
    }
  }

  #hear(event: InspectionEvent): void {
    const actor = event.actorRef as AnyActorRef;
    switch (event.type) {
      case "@xstate.actor":
        this.#tracks.set(actor.sessionId, { actor, context: undefined, taken: [] });
        return this.#add({ type: "actor", actor, ...this.#now() });
      case "@xstate.microstep": {
        const taken = event._transitions as unknown as TakenTransition[];
        if (taken.length > 0) this.#tracks.get(actor.sessionId)?.taken.push(...taken);
        return;
      }
      case "@xstate.event": {
        const source = event.sourceRef as AnyActorRef | undefined;
        if (source !== undefined && tellsEnd(event.event.type)) this.#endOf(source);
        return this.#add({ type: "event", actor, source, event: event.event, ...this.#now() });
      }
      case "@xstate.snapshot":
        return this.#moved(actor, event.snapshot as InspectedSnapshot);
    }
  }

  /** XState reports the end of an actor only after its parent has processed it. */
  #endOf(source: AnyActorRef): void {
    const snapshot = source.getSnapshot() as InspectedSnapshot;
    if (snapshot.status !== "active") this.#moved(source, snapshot);
  }

  #moved(actor: AnyActorRef, snapshot: InspectedSnapshot): void {
    const track = this.#tracks.get(actor.sessionId);
    // Told before, when its parent heard of its end.
    if (track === undefined) return;
    const ended = snapshot.status !== "active";
    if (ended) this.#tracks.delete(actor.sessionId);
    else if (snapshot.value === undefined) return;
    const changed = snapshot.context !== track.context;
    const taken = track.taken.length === 0 ? none : track.taken;
    track.context = snapshot.context;
    if (taken.length > 0) track.taken = [];
    this.#add({ type: "snapshot", actor, snapshot, taken, changed, ...this.#now() });
  }

  #now(): { at: number; order: number } {
    return { at: performance.now() - this.#started, order: this.#order++ };
  }

  #add(entry: RecordingEntry): void {
    if (this.#writings.size > 0) {
      const line = lineOf(entry, this.#redact);
      for (const writing of this.#writings) writing.write(line);
    }
    this.#memory.add(entry);
  }

  async writeTo(path: string, options: RecordingWriterOptions = {}): Promise<RecordingWriter> {
    if (this.#fault !== undefined) throw this.#fault;
    const writing = await openRecordingWriter(path, options);
    // While it was opened, too: nothing would ever come.
    if (this.#fault !== undefined) {
      await writing.close(this.#fault);
      throw this.#fault;
    }
    // Without a pause from here on, so that no entry is missing or there twice.
    const before = this.#memory.before();
    const last = this.#memory.last();
    writing.write({ text: this.#header(last[0]?.at) });
    for (const entry of before) writing.write(lineOf(entry, this.#redact, true));
    for (const entry of last) writing.write(lineOf(entry, this.#redact));
    // The caller begins to read now.
    writing.flush();
    this.#writings.add(writing);
    void writing.ended.then(() => this.#writings.delete(writing));
    return writing;
  }

  #header(from: number | undefined): string {
    const { pth, command, target } = this.#about();
    const header: RecordingHeader = {
      format: recordingFormat,
      startedAt: this.#startedAt,
      pth,
      ...definedOnly({
        command,
        target: target && this.#redact(target),
        completeFrom: this.#memory.partial
          ? timestampMs(from ?? performance.now() - this.#started)
          : undefined,
      }),
    };
    return `${JSON.stringify(header)}\n`;
  }

  actor(id: string): AnyActorRef | undefined {
    return this.#tracks.get(id)?.actor;
  }

  living(): AnyActorRef[] {
    return [...this.#tracks.values()].map(({ actor }) => actor);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#writings].map((writing) => writing.close()));
  }
}

const tellsEnd = (type: unknown): boolean =>
  typeof type === "string" &&
  (type.startsWith("xstate.done.actor.") || type.startsWith("xstate.error.actor."));
