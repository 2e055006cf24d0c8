/** Routes of a source: overview, actors, events, and files made of them. */
import { readStream } from "../../platform/streams.ts";
import { fileReply, jsonReply } from "./replies.ts";
import type { EventPage, Overview } from "./api.ts";
import {
  type ApiHandler,
  badParameter,
  filterIn,
  maxQueryRows,
  numberParameter,
  positionIn,
  wholeIn,
} from "./api_request.ts";
import { definedOnly } from "../../core/values.ts";
import { sequenceMermaid } from "../timeline/sequence_mermaid.ts";

/** Bars of the histogram over the time bar. */
const densityBuckets = 400;

const sources: ApiHandler = async (_request, { sources }) => jsonReply(await sources.list());

const overview: ApiHandler = ({ params }, { sources }) =>
  sources.use(params.source!, async ({ source, timeline }) => {
    const { header, length, duration, problems, growing } = timeline;
    const events = await timeline.count({ internal: true });
    const density = timeline.density(densityBuckets);
    const answer: Overview = { source, header, length, duration, problems, growing, events, density };
    return jsonReply(answer);
  });

const position: ApiHandler = ({ params, query }, { sources }) =>
  sources.use(params.source!, ({ timeline }) => {
    const ms = numberParameter(query, "ms");
    if (ms === undefined) throw badParameter("ms", undefined, "a number from 0 on");
    const position = timeline.positionAt(ms);
    return Promise.resolve(jsonReply({ position, at: timeline.timeAt(position) }));
  });

const trouble: ApiHandler = ({ params }, { sources }) =>
  sources.use(params.source!, async ({ timeline }) => jsonReply(await timeline.trouble()));

const recording: ApiHandler = ({ params }, { sources }) =>
  sources.use(params.source!, ({ file, source }) => {
    const name = `${source.title.replace(/[^\w.-]+/g, "_").replace(/\.jsonl$/, "")}.jsonl`;
    return Promise.resolve(fileReply(readStream(file), "application/x-ndjson", name));
  });

const actors: ApiHandler = ({ params, query }, { sources }) =>
  sources.use(params.source!, async ({ timeline }) => {
    const position = positionIn(query, "at", timeline.length);
    const which = definedOnly({
      ended: numberParameter(query, "ended"),
      endedOfEach: numberParameter(query, "endedOfEach"),
      selected: query.get("selected") ?? undefined,
    });
    return jsonReply(await timeline.actors(position, which));
  });

const actor: ApiHandler = ({ params, query }, { sources }) =>
  sources.use(
    params.source!,
    async ({ timeline }) => {
      const position = positionIn(query, "at", timeline.length);
      return jsonReply(await timeline.actor(params.actor!, position, numberParameter(query, "ms")));
    },
  );

const events: ApiHandler = ({ params, query }, { sources }) =>
  sources.use(params.source!, async ({ timeline }) => {
    const filter = filterIn(query);
    const from = wholeIn(query, "from", 0);
    const count = rowCount(query);
    const page: EventPage = {
      total: await timeline.count(filter),
      from,
      rows: count === 0 ? [] : await timeline.rows(filter, from, count),
    };
    return jsonReply(page);
  });

const index: ApiHandler = ({ params, query }, { sources }) =>
  sources.use(params.source!, async ({ timeline }) => {
    const position = positionIn(query, "position", timeline.length);
    return jsonReply({ index: await timeline.rowIndex(filterIn(query), position) });
  });

const event: ApiHandler = ({ params }, { sources }) =>
  sources.use(params.source!, async ({ timeline }) => {
    const position = wholeIn(new URLSearchParams({ position: params.position! }), "position");
    if (position < 1 || position > timeline.length) {
      throw badParameter("position", params.position, `from 1 to ${timeline.length}`);
    }
    return jsonReply(await timeline.row(position));
  });

const sequence: ApiHandler = ({ params, query }, { sources }) =>
  sources.use(params.source!, async ({ source, timeline }) => {
    const filter = filterIn(query);
    const from = wholeIn(query, "from", 0);
    const rows = await timeline.rows(filter, from, rowCount(query));
    const total = Math.max(0, await timeline.count(filter) - from);
    return fileReply(
      sequenceMermaid(rows, { total, title: source.title }),
      "text/vnd.mermaid",
      "sequence.mmd",
    );
  });

/** Rows of a request that states no number. */
const defaultRows = 200;

function rowCount(query: URLSearchParams): number {
  const count = wholeIn(query, "count", defaultRows);
  if (count > maxQueryRows) throw badParameter("count", String(count), `at most ${maxQueryRows}`);
  return count;
}

export const sourceRoutes: [string, ApiHandler][] = [
  ["sources", sources],
  ["sources/:source", overview],
  ["sources/:source/position", position],
  ["sources/:source/trouble", trouble],
  ["sources/:source/recording", recording],
  ["sources/:source/actors", actors],
  ["sources/:source/actors/:actor", actor],
  ["sources/:source/events", events],
  ["sources/:source/events/at", index],
  ["sources/:source/events/:position", event],
  ["sources/:source/sequence.mmd", sequence],
];
