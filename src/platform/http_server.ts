/** A small HTTP server on the host's loopback, the same on Deno and Node. */
import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage } from "node:http";

export interface HttpRequest {
  method: string;
  /** With its query. */
  path: string;
  /** Names in lower case. */
  headers: Record<string, string | string[] | undefined>;
  /** The body as text. @throws {Error} when it is longer than 1 MiB */
  text(): Promise<string>;
}

export interface HttpReply {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

export interface HttpServer {
  port: number;
  /** Resolves once nothing listens any more; what is connected is dropped. */
  close(): Promise<void>;
}

const longestBody = 1024 * 1024;

/** Listens on a free port of 127.0.0.1. A handler that throws is answered with 500. */
export function serveOnLoopback(handle: (request: HttpRequest) => Promise<HttpReply>): Promise<HttpServer> {
  const server = createServer(async (request, response) => {
    const { method = "GET", url = "/", headers } = request;
    const text = () => readBody(request);
    const reply = await handle({ method, path: url, headers, text }).catch((): HttpReply => ({
      status: 500,
    }));
    response.writeHead(reply.status, { connection: "close", ...reply.headers });
    response.end(reply.body ?? "");
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve({ port: typeof address === "object" && address ? address.port : 0, close });
    });
  });
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > longestBody) throw new Error(`Cannot read request: longer than ${longestBody} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
