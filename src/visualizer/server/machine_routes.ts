/** The machines as they are: a list, and each one's chart as data and as files. */
import type { HttpReply } from "../../platform/http_server.ts";
import { fileReply, jsonReply } from "./answers.ts";
import type { ApiRequest, Charts, Handler } from "./api_request.ts";
import { flagIn, idsIn } from "./query.ts";

const machines: Handler = async (_request, { charts }) => jsonReply(await charts.list());

/** `session`, `session.svg`, `session.mmd`, `session.dot`: no machine's id has a dot. */
const machine: Handler = async (request, { charts }) => {
  const { query } = request;
  const [id = "", kind] = request.params.machine!.split(/\.(?=svg$|mmd$|dot$)/);
  if (kind === "svg") return await picture(id, request, charts);
  return jsonReply(await charts.laidOut(id, idsIn(query, "collapsed")));
};

async function picture(id: string, { query }: ApiRequest, charts: Charts): Promise<HttpReply> {
  const bare = flagIn(query, "bare") ?? false;
  const [collapsed, active, taken, refused] = ["collapsed", "active", "taken", "refused"]
    .map((name) => idsIn(query, name)) as [string[], string[], string[], string[]];
  const text = await charts.svg(id, { collapsed, active, taken, refused, standalone: !bare });
  const { headers, ...reply } = fileReply(text, "image/svg+xml");
  // Opened by itself, a picture has its style within.
  return { ...reply, headers: { ...headers, ...(bare ? {} : { "content-security-policy": pictureAlone }) } };
}

const pictureAlone = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

export const machineRoutes: [string, Handler][] = [
  ["machines", machines],
  ["machines/:machine", machine],
];
