/** Finds who answers a question of the page, and turns what is thrown into an answer. */
import type { HttpReply, HttpRequest } from "../../platform/http_server.ts";
import { errorReply, jsonReply, notFoundError } from "./replies.ts";
import { feedRoutes, sendRoutes } from "./feed_routes.ts";
import { machineRoutes } from "./machine_routes.ts";
import { type ApiContext, type ApiHandler, badParameter } from "./api_request.ts";
import { sourceRoutes } from "./source_routes.ts";

interface Route {
  parts: string[];
  handler: ApiHandler;
}

const routesOf = (entries: [string, ApiHandler][]): Route[] =>
  entries.map(([path, handler]) => ({ parts: path.split("/"), handler }));

const asked = routesOf([...machineRoutes, ...sourceRoutes, ...feedRoutes]);
const sent = routesOf(sendRoutes);

/** @param path what follows `/api/`, with its query. Never rejects. */
export async function answerApi(http: HttpRequest, path: string, context: ApiContext): Promise<HttpReply> {
  try {
    const url = new URL(`http://page/${path}`);
    const parts = url.pathname.slice(1).split("/").map(decode);
    const routes = http.method === "POST" ? sent : asked;
    for (const { parts: wanted, handler } of routes) {
      const params = match(wanted, parts);
      if (params !== undefined) return await handler({ http, params, query: url.searchParams }, context);
    }
    if ([...asked, ...sent].some(({ parts: wanted }) => match(wanted, parts) !== undefined)) {
      return jsonReply(
        { code: "INVALID_INPUT", message: `Cannot answer: ${http.method} is not supported here` },
        405,
      );
    }
    throw notFoundError(`/api${url.pathname}`);
  } catch (error) {
    return errorReply(error);
  }
}

/** Values of the `:names` in a path; undefined if the path is another one. */
function match(wanted: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  if (wanted.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    if (part.startsWith(":")) params[part.slice(1)] = parts[index]!;
    else if (part !== parts[index]) return undefined;
  }
  return params;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (_malformed) {
    throw badParameter("the path", part, "percent-encoded text");
  }
}
