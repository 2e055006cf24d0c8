/** What there is to look at, and what a source is as a whole. */
import { readStream } from "../../platform/streams.ts";
import { fileReply, jsonReply } from "./json_reply.ts";
import type { Overview } from "./api.ts";
import type { ApiHandler } from "./api_context.ts";
import { badParameter, numberParameter } from "./query.ts";

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

export const sourceRoutes: [string, ApiHandler][] = [
  ["sources", sources],
  ["sources/:source", overview],
  ["sources/:source/position", position],
  ["sources/:source/trouble", trouble],
  ["sources/:source/recording", recording],
];
