/**
 * Requests of the page to its server, and their answers: all below `api/` of the page's address, all JSON. This file has
 * types only; page and server share them.
 *
 * | request | answer |
 * | --- | --- |
 * | `GET sources` | `ViewerSource[]` |
 * | `GET machines` | `MachineEntry[]` |
 * | `GET machines/<machine>?collapsed=` | `LaidOutChart` |
 * | `GET machines/<machine>.svg`, `.mmd`, `.dot` | the chart as a file |
 * | `GET machines/<machine>.svg?bare=true&collapsed=` | the picture without its style, for use in the page |
 * | `GET machines/<machine>.svg?active=&taken=&refused=&collapsed=` | the picture with these states and transitions highlighted |
 * | `GET sources/<id>` | `Overview` |
 * | `GET sources/<id>/actors?at=&ended=` | `ActorRow[]`; `ended` as in `Timeline.actors` |
 * | `GET sources/<id>/actors/<actor>?at=&ms=` | `ActorDetail`; `ms` as in `Timeline.actor` |
 * | `GET sources/<id>/events?<filter>&from=&count=` | `EventPage`; at most 2000 rows |
 * | `GET sources/<id>/events/at?<filter>&position=` | `{ index }` of that row |
 * | `GET sources/<id>/events/<position>` | `EventRow & { event }` |
 * | `GET sources/<id>/position?ms=` | `{ position, at }` |
 * | `GET sources/<id>/trouble` | `ErrorMark[]` |
 * | `GET sources/<id>/sequence.mmd?<filter>&from=&count=` | Mermaid |
 * | `GET sources/<id>/recording` | the recording, as a file |
 * | `GET sources/<id>/feed` | server-sent events: `growth` with `Growth`, `sources` with `ViewerSource[]`, `ended` with `{ reason }` |
 * | `GET feed` | the same without a source: `sources` only |
 * | `POST sources/<id>/send` | `SendRequest` → `{ sent: true }` |
 *
 * `at` and `position` are positions of the timeline; without `at`, the end. A filter has the names of `EventFilter`;
 * `actors`, and the ids of states and transitions for a picture, are separated by commas. A failed request is answered by an HTTP status and `ApiError`.
 *
 * A feed begins with `sources`, then `growth` up to now (without events: ask for all of them); its events
 * have the length as id, and come at most some twenty times a second, merged where the page reads more slowly.
 */
import type { SentEvent } from "../../registry/announcement.ts";
import type { EventRow, Timeline } from "../timeline/timeline.ts";

export interface ViewerSource {
  /** In addresses: `live-<announcement>`, `recording`. */
  id: string;
  kind: "live" | "recording";
  /** Plugin under test, or the name of the file. */
  title: string;
  /** `pth run, since 14:03`, of a matrix `pth run on debian13, since 14:03`; the file's path. */
  detail: string;
  /** `live`: more may come; `ended`: the process is gone, its past stays. */
  state: "live" | "ended" | "whole";
  /** Events may be sent: `--allow-send`, and it lives. */
  maySend: boolean;
}

export interface MachineEntry {
  machine: string;
  summary: string;
  states: number;
  transitions: number;
}

export interface Overview extends Pick<Timeline, "header" | "length" | "duration" | "problems" | "growing"> {
  source: ViewerSource;
  /** Events, without a filter. */
  events: number;
  density: number[];
}

export interface EventPage {
  /** All that fit the filter. */
  total: number;
  from: number;
  rows: EventRow[];
}

export interface SendRequest {
  actor: string;
  event: SentEvent;
}

export interface ApiError {
  code: string;
  message: string;
  next?: string[];
}
