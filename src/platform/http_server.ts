/** A small HTTP server on the host's loopback, the same on Deno and Node. */
import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { PthError } from "../core/errors.ts";
import { log } from "./log.ts";

export interface HttpRequest {
  method: string;
  /** With its query. */
  path: string;
  /** Names in lower case. */
  headers: Record<string, string | string[] | undefined>;
  /** The body as text. @throws {Error} when it is longer than the server takes */
  text(): Promise<string>;
}

export interface HttpReply {
  status: number;
  headers?: Record<string, string>;
  /** A stream is sent as it comes, as fast as the client reads, and destroyed when the client leaves. */
  body?: string | Uint8Array | Readable;
}

export interface HttpServer {
  port: number;
  /** Resolves once nothing listens any more; what is connected is dropped. */
  close(): Promise<void>;
}

/** Longest body unless the server says otherwise, in bytes. */
const usualBody = 1024 * 1024;

/**
 * Listens on 127.0.0.1; port 0 takes a free one. A handler that throws is answered with 500.
 * @param longestBody Bytes of a body that are read.
 * @throws {PthError} `PORT_TAKEN` when someone holds the port, or may not use it
 */
export function serveOnLoopback(
  handle: (request: HttpRequest) => Promise<HttpReply>,
  port = 0,
  longestBody: number = usualBody,
): Promise<HttpServer> {
  const server = createServer(async (request, response) => {
    const { method = "GET", url = "/", headers } = request;
    const text = () => readBody(request, longestBody);
    const reply = await handle({ method, path: url, headers, text }).catch((error): HttpReply => {
      log.error("Cannot answer a request", { error });
      return { status: 500 };
    });
    try {
      response.writeHead(reply.status, { connection: "close", ...reply.headers });
      await send(reply.body ?? "", method, response);
    } catch (error) {
      log.error("Cannot send an answer", { error });
      response.destroy();
    }
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => reject(cannotListen(port, cause)));
    server.listen(port, "127.0.0.1", () => {
      server.on("error", (error) => log.warn("Cannot accept connections", { error }));
      const address = server.address();
      resolve({ port: typeof address === "object" && address ? address.port : port, close });
    });
  });
}

async function send(
  body: string | Uint8Array | Readable,
  method: string,
  response: ServerResponse,
): Promise<void> {
  if (method === "HEAD" || !(body instanceof Readable)) {
    if (body instanceof Readable) body.destroy();
    response.end(method === "HEAD" ? "" : body);
    return;
  }
  response.flushHeaders();
  // A client that leaves, or a file that cannot be read to its end: the connection is cut, as an error would reach no one.
  await pipeline(body, response).catch((error) => {
    log.debug("An answer was cut off", { error });
    response.destroy();
  });
}

const cannotListen = (port: number, cause: NodeJS.ErrnoException): PthError =>
  new PthError(
    "PORT_TAKEN",
    `Cannot listen on port ${port}: ${
      cause.code === "EADDRINUSE" ? "something else listens there" : cause.message
    }`,
    { next: ["Leave the port out: a free one is taken", `See who holds it: ss -ltnp 'sport = :${port}'`] },
    { cause },
  );

/**
 * Reads a body up to its limit; the rest is read and dropped, as a client that is still sending gets no
 * answer when it is cut off.
 */
function readBody(request: IncomingMessage, longestBody: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let chunks: Uint8Array[] = [];
    let length = 0;
    request.on("data", (chunk: Uint8Array) => {
      length += chunk.length;
      if (length <= longestBody) return chunks.push(chunk);
      chunks = [];
      reject(new Error(`Cannot read request: longer than ${longestBody} bytes`));
    });
    request.once("end", () => resolve(new TextDecoder().decode(Buffer.concat(chunks))));
    request.once("error", reject);
    request.once("close", () => reject(new Error("Cannot read request: the client left")));
  });
}
