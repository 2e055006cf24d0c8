/** `fetch` that stays with the server it asks, and whose answers end: one beyond the limits of a message breaks off. */
import { Buffer } from "node:buffer";
import { PthError } from "../core/errors.ts";
import { longestMessage } from "../platform/line_splitter.ts";
import { fetchWithin } from "./fetch_within.ts";
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
