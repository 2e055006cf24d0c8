/** `fetch` that stays with the server it asks, and whose answers end: one beyond the limits of a message breaks off. */
import { Buffer } from "node:buffer";
import { PthError } from "../core/errors.ts";
import { longestMessage } from "../platform/line_splitter.ts";
import { createJsonGauge } from "./json_gauge.ts";

/** Asks like `fetch`; the body of an answer fails with `PROTOCOL_VIOLATION` where a message in it goes beyond the limits. */
export const boundedFetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
  const answer = await fetchWithin(url, init);
  if (answer.body === null) return answer;
  const events = answer.headers.get("content-type")?.includes("text/event-stream") === true;
  const { status, statusText, headers } = answer;
  const body = answer.body.pipeThrough(limiter(events));
  const bounded = new Response(body, { status, statusText, headers });
  // A made response has no address of its own.
  Object.defineProperty(bounded, "url", { value: answer.url });
  return bounded;
};

/** An event stream has one message a line; any other body is one message. */
function limiter(events: boolean): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let gauge = createJsonGauge();
  let bytes = 0;
  const measure = (part: string): string | undefined => {
    bytes += part.length;
    return bytes > longestMessage ? `it exceeds ${longestMessage} bytes` : gauge.push(part);
  };
  return new TransformStream({
    transform(chunk, controller) {
      // Only signs of ASCII count, and no byte of a longer sign is one of them.
      const parts = events ? asText(chunk).split("\n") : [asText(chunk)];
      for (const [index, part] of parts.entries()) {
        if (index > 0) {
          gauge = createJsonGauge();
          bytes = 0;
        }
        const excess = measure(part);
        if (excess === undefined) continue;
        return controller.error(
          new PthError("PROTOCOL_VIOLATION", `Cannot read the server's answer: ${excess}`),
        );
      }
      controller.enqueue(chunk);
    },
  });
}

const asText = (chunk: Uint8Array): string =>
  Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");

/**
 * `fetch` that stays with the server under test: redirects within its origin are followed, no others. A plugin could
 * otherwise have PTH, which stands outside its environment, ask whatever the host can reach, with the plugin's headers.
 */

/** A server that sends its client elsewhere; the message is said of the server. */
export class ForeignRedirect extends Error {
  override readonly name = "ForeignRedirect";
  readonly status: number;
  /** The location as the server wrote it, shortened. */
  readonly location: string;

  constructor(status: number, location: string, why: string) {
    super(`HTTP ${status} redirects to ${JSON.stringify(location.slice(0, 200))}: ${why}`);
    this.status = status;
    this.location = location.slice(0, 200);
  }
}

const redirects = [301, 302, 303, 307, 308];

const most = 5;

/** @throws {ForeignRedirect} for a redirect to another origin, and for more than five */
async function fetchWithin(input: string | URL, init: RequestInit = {}): Promise<Response> {
  let url = new URL(input);
  let asked = init;
  for (let turn = 0;; turn++) {
    const answer = await fetch(url, { ...asked, redirect: "manual" });
    const location = answer.headers.get("location");
    if (!redirects.includes(answer.status) || location === null) return answer;
    await answer.body?.cancel();
    const next = URL.canParse(location, url) ? new URL(location, url) : undefined;
    const foreign = (why: string) => new ForeignRedirect(answer.status, location, why);
    if (next?.origin !== url.origin) throw foreign("another origin, which is not asked");
    if (turn >= most) throw foreign(`more than ${most} redirects`);
    asked = repeated(asked, answer.status);
    url = next;
  }
}

/** Repeats a request as browsers do: a POST that is answered with 301 or 302, and anything with 303, becomes a GET. */
function repeated(init: RequestInit, status: number): RequestInit {
  const method = init.method ?? "GET";
  const becomesGet = status === 303 ? method !== "HEAD" : status < 303 && method === "POST";
  if (!becomesGet) return init;
  const { body: _body, ...rest } = init;
  const headers = new Headers(init.headers);
  for (const name of ["content-type", "content-length"]) headers.delete(name);
  return { ...rest, method: "GET", headers };
}
