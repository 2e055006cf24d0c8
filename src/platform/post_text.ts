/** One HTTP request of the host's, whose answer is read as it comes, the same on Deno and Node. */
import { type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

export interface HttpAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string | string[] | undefined>;
  /** The body without its compression. Fails where the connection ends before it does; to destroy it ends the connection. */
  body: Readable;
}

/**
 * Posts a text; redirects are answers like any other.
 * @throws {Error} where the server cannot be reached, or leaves without an answer
 */
export function postText(
  url: URL,
  headers: Record<string, string>,
  text: string,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const start = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request: ClientRequest = start(
      url,
      {
        method: "POST",
        headers: { ...headers, "content-length": String(new TextEncoder().encode(text).length) },
        signal,
      },
      (answer) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: decoded(answer) }),
    );
    request.on("error", reject);
    request.end(text);
  });
}

const decoders: Record<string, () => Transform> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

function decoded(answer: IncomingMessage): Readable {
  const encodings = String(answer.headers["content-encoding"] ?? "").split(",").map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity").reverse();
  const unknown = encodings.find((name) => decoders[name] === undefined);
  if (unknown !== undefined) {
    answer.destroy();
    return failing(new Error(`its compression is not known: ${unknown}`));
  }
  // The reader of the last stream hears what became of each before it.
  return encodings.reduce<Readable>((body, name) => pipeline(body, decoders[name]!(), () => {}), answer);
}

/** A body that cannot be read. */
const failing = (error: Error): Readable =>
  new Readable({
    read() {
      this.destroy(error);
    },
  });
