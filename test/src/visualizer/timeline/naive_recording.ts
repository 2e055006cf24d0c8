/** The plainest reader of recordings: every line is parsed, and each question is answered by looking through all of them. */
import { isObject } from "../../../../src/core/values.ts";
import type {
  ActorLine,
  EventLine,
  RecordingLine,
  SnapshotLine,
} from "../../../../src/visualizer/recording/format.ts";
import type { EventFilter } from "../../../../src/visualizer/timeline/timeline.ts";

interface NaiveLine {
  text: string;
  at: number;
  line: RecordingLine;
}

export class NaiveRecording {
  readonly lines: NaiveLine[] = [];

  /** @param text all of the file; what is after the last line end is left out, unless it is whole */
  constructor(text: string) {
    let at = 0;
    for (const line of text.split("\n").slice(1).map((line) => line.replace(/\r$/, ""))) {
      const read = lineOf(line);
      if (read === undefined) continue;
      at = Math.max(at, read.at);
      this.lines.push({ text: line, at, line: read });
    }
  }

  /** Positions of the rows that fit. */
  positions(filter: EventFilter): number[] {
    return this.lines.flatMap((one, place) => this.#fits(one, filter) ? [place + 1] : []);
  }

  /** What a row tells of who and when. */
  row(position: number) {
    const { at, line } = this.lines[position - 1]!;
    const { actor, source, event } = line as EventLine;
    return { position, at, type: typeOf(event), target: actor, source, event };
  }

  actors(position: number) {
    const living = this.#names(position).filter((name) => this.#lives(name, position));
    return living.map((actor) => {
      const snapshots = this.#of(actor, "snapshot", position) as SnapshotLine[];
      const begun = this.lines.findIndex(({ line }) => names(line).includes(actor));
      return {
        actor,
        id: this.#introduced(actor)?.id ?? actor,
        parent: this.#parent(actor),
        value: snapshots.at(-1)?.value,
        status: snapshots.at(-1)?.status ?? "active",
        startedAt: this.lines[begun]!.at,
        heard: this.#of(actor, "event", position).length,
        children: living.filter((child) => this.#parent(child) === actor).length,
      };
    });
  }

  /** Undefined where it was thinned away, or never told. */
  context(actor: string, position: number): unknown {
    const snapshots = this.#of(actor, "snapshot", position) as SnapshotLine[];
    const last = snapshots.findLast((line) => line.context !== undefined || line.thinned);
    return last?.thinned ? undefined : last?.context;
  }

  #fits({ text, at, line }: NaiveLine, filter: EventFilter): boolean {
    if (line.type !== "event") return false;
    const type = typeOf(line.event).toLowerCase();
    const parts = (filter.type ?? "").toLowerCase().split(/[ ,]+/).filter(Boolean);
    const wanted = parts.filter((part) => !part.startsWith("-"));
    const actors = [line.actor, line.source].filter((actor) => actor !== undefined);
    const within = (actor: string | undefined): boolean =>
      actor !== undefined &&
      (filter.actors!.includes(actor) ||
        (filter.descendants === true && within(this.#parent(actor))));
    return (filter.internal === true || !/^xstate\.(?!after\.|done\.|error\.)/.test(typeOf(line.event))) &&
      (wanted.length === 0 || wanted.some((part) => type.includes(part))) &&
      !parts.some((part) => part.startsWith("-") && type.includes(part.slice(1))) &&
      (filter.text === undefined || text.toLowerCase().includes(filter.text.toLowerCase())) &&
      at >= (filter.since ?? at) && at <= (filter.until ?? at) &&
      (filter.actors === undefined || actors.some(within));
  }

  /** In the order in which they first come. */
  #names = (position: number): string[] => [
    ...new Set(this.lines.slice(0, position).flatMap(({ line }) => names(line))),
  ];

  #of = (actor: string, type: RecordingLine["type"], position: number): RecordingLine[] =>
    this.lines.slice(0, position).map(({ line }) => line).filter((line) =>
      line.actor === actor && line.type === type
    );

  /** What it is called is told once: nothing is called otherwise in the past. */
  #introduced = (actor: string): ActorLine | undefined =>
    this.lines.map(({ line }) => line).findLast((line) => line.type === "actor" && line.actor === actor) as
      | ActorLine
      | undefined;

  /** The first older one that it is said to come from. */
  #parent(actor: string): string | undefined {
    for (const [place, { line }] of this.lines.entries()) {
      if (line.type !== "actor" || line.actor !== actor || typeof line.parent !== "string") continue;
      const known = this.#names(place + 1);
      const parent = known.indexOf(line.parent);
      if (parent !== -1 && parent < known.indexOf(actor)) return line.parent;
    }
    return undefined;
  }

  #lives(actor: string, position: number): boolean {
    const ended = (this.#of(actor, "snapshot", position) as SnapshotLine[]).some(({ status }) =>
      status !== "active"
    );
    const parent = this.#parent(actor);
    return !ended && (parent === undefined || this.#lives(parent, position));
  }
}

/** Whom a line names, in the order in which that counts. */
const names = (line: RecordingLine): string[] =>
  line.type === "event" && typeof line.source === "string" ? [line.actor, line.source] : [line.actor];

function typeOf(event: Record<string, unknown>): string {
  if (typeof event["type"] === "string") return event["type"];
  const begun = typeof event["abridged"] === "string" ? event["abridged"] : "";
  return /^\{"type":"([^"\\]+)"/.exec(begun)?.[1] ?? "";
}

function lineOf(text: string): RecordingLine | undefined {
  try {
    const line: unknown = JSON.parse(text);
    if (!isObject(line) || typeof line["at"] !== "number" || typeof line["actor"] !== "string") {
      return undefined;
    }
    if (line["type"] === "event" && !isObject(line["event"])) return undefined;
    const isOne = ["actor", "event", "snapshot"].includes(String(line["type"]));
    return isOne ? line as unknown as RecordingLine : undefined;
  } catch {
    // What is no JSON is no line.
    return undefined;
  }
}
