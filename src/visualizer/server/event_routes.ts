/** Events: those that fit a filter, in pages; one, whole; and as a sequence for Mermaid. */
import { sequenceMermaid } from "../timeline/sequence_mermaid.ts";
import { fileReply, jsonReply } from "./json_reply.ts";
import type { EventPage } from "./api.ts";
import type { ApiHandler } from "./api_context.ts";
import { badParameter, filterIn, maxQueryRows, positionIn, wholeIn } from "./query.ts";

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

/** Where the page does not say how many. */
const defaultRows = 200;

function rowCount(query: URLSearchParams): number {
  const count = wholeIn(query, "count", defaultRows);
  if (count > maxQueryRows) throw badParameter("count", String(count), `at most ${maxQueryRows}`);
  return count;
}

export const eventRoutes: [string, ApiHandler][] = [
  ["sources/:source/events", events],
  ["sources/:source/events/at", index],
  ["sources/:source/events/:position", event],
  ["sources/:source/sequence.mmd", sequence],
];
