/** The viewer: a page on the loopback, and the answers to its questions. */
import { type HttpReply, type HttpRequest, serveOnLoopback } from "../../platform/http_server.ts";
import { answerApi } from "./answer_api.ts";
import { errorReply, fileReply, notePage } from "./replies.ts";
import { type PageBundle, pageShell } from "./page_bundle.ts";
import { createAccessGuard } from "./access_guard.ts";
import type { Sources } from "./sources.ts";
import type { ApiContext } from "./api_request.ts";

export interface Viewer {
  readonly port: number;
  /** A new one-time address. */
  address(): string;
  /** Milliseconds since a page last asked or left, or since the start; 0 while one is connected. */
  idleMs(): number;
  /** The port is free afterwards, and all sources are closed. */
  close(): Promise<void>;
}

export interface ViewerOptions {
  sources: Sources;
  bundle: PageBundle;
  /** Default: a free one. */
  port?: number;
  /** Sentence that says how to get a new address. */
  again: string;
}

/** The sources are the viewer's from now on. @throws {PthError} `PORT_TAKEN`; they are closed then */
export async function openViewer({ sources, bundle, port = 0, again }: ViewerOptions): Promise<Viewer> {
  const pages = countPages();
  const context: ApiContext = { sources, pageCame: pages.came };
  const guard = createAccessGuard({ port: () => server.port, again });
  const assets: Record<string, () => HttpReply> = {
    "": () => fileReply(pageShell, "text/html"),
    "page.js": () => fileReply(bundle.script, "text/javascript"),
    "page.css": () => fileReply(bundle.style, "text/css"),
  };
  const answer = async (request: HttpRequest): Promise<HttpReply> => {
    const stopped = guard.stop(request);
    if (stopped !== undefined) return stopped;
    pages.asked();
    const [whole = ""] = request.path.split("?");
    if (!whole.startsWith(guard.place)) return nothingAt(whole);
    const path = request.path.slice(guard.place.length);
    if (path.startsWith("api/")) return await answerApi(request, path.slice("api/".length), context);
    const asset = request.method === "POST" ? undefined : assets[whole.slice(guard.place.length)];
    return asset?.() ?? nothingAt(whole);
  };
  const server = await serveOnLoopback(async (request) => {
    const reply = await answer(request).catch(errorReply);
    // The page asks often: a new connection for each question would cost more than the answer.
    return { ...reply, headers: { ...reply.headers, connection: "keep-alive" } };
  }, port).catch(async (error) => {
    await sources.close();
    throw error;
  });
  return {
    port: server.port,
    address: guard.address,
    idleMs: pages.idleMs,
    async close() {
      await server.close();
      await sources.close();
    },
  };
}

const nothingAt = (path: string): HttpReply => notePage(404, "Not here", [`There is nothing at ${path}.`]);

/** Counts connected pages, and measures the time since the last one left or asked. */
function countPages() {
  let pages = 0;
  let since = performance.now();
  const asked = () => void (since = performance.now());
  return {
    asked,
    came: () => {
      pages++;
      return () => {
        pages--;
        asked();
      };
    },
    idleMs: () => pages > 0 ? 0 : performance.now() - since,
  };
}
