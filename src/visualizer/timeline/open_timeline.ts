/** Opens a recording, whole or still growing, as a `Timeline`. */
import { PthError } from "../../core/errors.ts";
import type { EventLine, RecordingHeader } from "../recording/format.ts";
import { actorDetail } from "./actor_detail.ts";
import { actorsAt } from "./actors.ts";
import { type Answers, pairAnswers } from "./answers.ts";
import { eventRow, eventRows } from "./event_row.ts";
import { FilteredLines } from "./filtered_lines.ts";
import { followRecording } from "./follow_recording.ts";
import { type GrowingRecording, openGrowingRecording } from "./growing_recording.ts";
import type {
  ActorDetail,
  ActorRow,
  EndedActors,
  ErrorMark,
  EventFilter,
  EventRow,
  Growth,
  Timeline,
} from "./timeline.ts";
import { countBefore } from "./timeline_index.ts";
import { findErrorMarks } from "./find_error_marks.ts";
import { isShownByDefault } from "./line_filter.ts";
import { lineKinds } from "./line_columns.ts";
import type { RecordingIndex } from "./recording_index.ts";

export interface OpenOptions {
  /** Settles when nothing more will be written. Without it the recording is whole. */
  ended?: Promise<unknown>;
  /** Called with the part that has been read, 0 to 1. */
  onProgress?: (part: number) => void;
  /** Milliseconds since 1970; in a living session that is silent, time goes on. Default: the clock. */
  now?: () => number;
}

/**
 * Resolves when all that the file holds by now is read.
 * @throws {PthError} `INVALID_INPUT` for what is no recording; `UNSUPPORTED` for one that a newer PTH wrote
 */
export async function openTimeline(
  path: string,
  { ended, onProgress, now = Date.now }: OpenOptions = {},
): Promise<Timeline> {
  // Only the end counts here; errors are reported elsewhere.
  const over = ended?.then(() => {}, () => {});
  const recording = await openGrowingRecording(path, over);
  try {
    await recording.readAll(onProgress);
    if (over === undefined) recording.finish();
    else recording.follow(over);
  } catch (error) {
    await recording.close();
    throw error;
  }
  return new RecordingTimeline(recording, now);
}

class RecordingTimeline implements Timeline {
  readonly #recording: GrowingRecording;
  readonly #answers: Answers;
  readonly #filtered: FilteredLines;
  readonly #findTrouble: () => Promise<ErrorMark[]>;
  readonly #now: () => number;

  constructor(recording: GrowingRecording, now: () => number) {
    this.#recording = recording;
    this.#now = now;
    this.#answers = pairAnswers(recording.index);
    this.#findTrouble = findErrorMarks(recording.index, this.#answers);
    this.#filtered = new FilteredLines(recording);
  }

  get #index() {
    return this.#recording.index;
  }

  get header(): RecordingHeader {
    return this.#index.header;
  }

  get length(): number {
    return this.#index.length;
  }

  get duration(): number {
    return this.timeAt(this.length);
  }

  get growing(): boolean {
    return this.#recording.growing;
  }

  get problems(): string[] {
    return this.#recording.problems;
  }

  positionAt(ms: number): number {
    const { times } = this.#index.columns;
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (times[middle]! <= ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  timeAt(position: number): number {
    const last = this.#within(position) - 1;
    return last < 0 ? 0 : this.#index.at(last);
  }

  actors(position: number, which: EndedActors = {}): Promise<ActorRow[]> {
    return Promise.resolve(actorsAt(this.#index, this.#within(position), which));
  }

  async actor(actor: string, position: number, ms?: number): Promise<ActorDetail> {
    const at = this.#within(position);
    const isNow = ms === undefined && this.growing && at === this.length;
    const then = isNow ? this.#now() - Date.parse(this.header.startedAt) : ms ?? 0;
    return await actorDetail(this.#index, this.#answers, actor, at, { now: Math.max(this.timeAt(at), then) });
  }

  async count(filter: EventFilter): Promise<number> {
    return (await this.#filtered.of(filter)).length;
  }

  async rows(filter: EventFilter, from: number, count: number): Promise<EventRow[]> {
    const lines = await this.#filtered.of(filter);
    return await eventRows(
      this.#index,
      this.#answers,
      lines.slice(Math.max(0, from), Math.max(0, from) + count),
    );
  }

  async rowIndex(filter: EventFilter, position: number): Promise<number> {
    return countBefore(await this.#filtered.of(filter), position - 1);
  }

  async row(position: number): Promise<EventRow & { event: unknown }> {
    const line = position - 1;
    if (!(line >= 0 && line < this.length && this.#index.kind(line) === "event")) {
      throw new PthError("INVALID_INPUT", `Cannot show event: there is none at position ${position}`, {
        next: ["Ask for the position of one of the rows"],
      });
    }
    const [read] = await this.#index.read([line]);
    const { event } = read as EventLine;
    return { ...eventRow(this.#index, this.#answers, line, event), event };
  }

  trouble(): Promise<ErrorMark[]> {
    return this.#findTrouble();
  }

  density(buckets: number): number[] {
    return densityOf(this.#index, buckets);
  }

  follow(listener: (growth: Growth) => void, everyMs: number): () => void {
    return followRecording(this.#recording, listener, everyMs);
  }

  close(): Promise<void> {
    return this.#recording.close();
  }

  /** The nearest position that there is. */
  #within(position: number): number {
    return Math.max(0, Math.min(this.length, Math.floor(position) || 0));
  }
}

/** Number of events in each time span, without those that are hidden by default; the last span includes the end. */
function densityOf(index: RecordingIndex, buckets: number): number[] {
  const counts = new Array<number>(buckets).fill(0);
  const { kinds, times, seconds, length } = index.columns;
  const shown = Uint8Array.from(index.eventTypes, (type) => isShownByDefault(type) ? 1 : 0);
  const duration = length === 0 ? 0 : times[length - 1]!;
  const scale = duration === 0 ? 0 : buckets / duration;
  for (let line = 0; line < length; line++) {
    if (kinds[line] !== lineKinds.event || shown[seconds[line]!] === 0) continue;
    counts[Math.max(0, Math.min(buckets - 1, Math.floor(times[line]! * scale)))]!++;
  }
  return counts;
}
