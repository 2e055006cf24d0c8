/** What a handler of the API gets, and what it stands upon. */
import type { HttpReply, HttpRequest } from "../../platform/http_server.ts";
import type { Sources } from "./sources.ts";

export interface ApiRequest {
  http: HttpRequest;
  /** What stands in the path at the route's `:names`. */
  params: Record<string, string>;
  query: URLSearchParams;
}

export type ApiHandler = (request: ApiRequest, desk: ApiContext) => Promise<HttpReply>;

/** All that the API answers from. */
export interface ApiContext {
  sources: Sources;
  /** Counts a page until it leaves; answers how to say that. */
  pageCame(): () => void;
}
