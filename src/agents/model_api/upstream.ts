/**
 * A real model API behind PTH's: requests are passed on as they came, with the key of the user's in place of the agent's, and
 * answers go back while they come. What was answered is read on the way.
 */
import { Buffer } from "node:buffer";
import { Transform, type TransformCallback } from "node:stream";
import { errorMessage, PthError } from "../../core/errors.ts";
import { oneLine } from "../../core/text.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import { type HttpAnswer, postText } from "../../platform/post_text.ts";
import type { HttpReply } from "../../platform/http_server.ts";
import type { ModelTurn } from "./model_turn.ts";

/** Outcome of a request that was passed on. */
export type UpstreamAnswer =
  /** The model answered, be it with an error; `notes` tell what of the answer a turn cannot hold. */
  | { turn: ModelTurn; notes: string[] }
  /** No answer of a model came. */
  | { failed: string };

/** The decision to have a real model answer a request. */
export interface PassOn {
  upstream: Upstream;
  /** Hears the answer once, before the agent has the end of the answer. Not where the agent leaves before it. */
  heard(answer: UpstreamAnswer): void;
}

/** Real model API; `openUpstream` makes one. */
export interface Upstream {
  /** Address as given. */
  readonly url: string;
  /** Key, which nothing may show; absent: none is sent. */
  readonly key: string | undefined;
}

/** Forms of one API that are needed to pass its requests on. */
export interface UpstreamWording {
  /** Headers with the key. */
  authorize(key: string): Record<string, string>;
  /** Reads a whole answer with status 200; undefined for a text that is none of the API. */
  read(body: string): ReadAnswer | undefined;
}

export interface ReadAnswer {
  turn: ModelTurn;
  /** Parts that a turn cannot hold. */
  notes: string[];
  /** Whether it has come to its end. */
  ended: boolean;
}

/** Request as it came to PTH. */
export interface SentRequest {
  /** With its query. */
  path: string;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** Bytes of an answer, without its compression. */
const longestAnswer = 64 * 1024 * 1024;

/** Headers of one connection alone, the keys of the agent, and those that PTH sets itself. */
const notPassed = new Set([
  ...["connection", "keep-alive", "host", "content-length", "transfer-encoding", "te", "trailer", "upgrade"],
  ...["expect", "accept-encoding", "proxy-authorization", "proxy-connection", "cookie"],
  ...["authorization", "x-api-key", "api-key", "x-goog-api-key"],
]);
const answered = ["content-type", "cache-control", "retry-after", "retry-after-ms", "x-should-retry"];

/** @throws {PthError} `INVALID_INPUT` for what is no address of an API, or holds a key */
export function openUpstream(url: string, key?: string): Upstream {
  const refuse = (why: string) =>
    new PthError("INVALID_INPUT", `Cannot pass requests on: ${why}`, {
      next: ["Give the address of the API alone, such as https://api.example.com"],
    });
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw refuse("the upstream is no http(s) address");
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw refuse(
      "the upstream's address holds a user or a password; a key is given by the name of its variable",
    );
  }
  if (parsed.search !== "" || parsed.hash !== "") throw refuse("the upstream's address has a query");
  return { url, key };
}

/** Passes a request on; the reply's body comes as the real API sends it. */
export async function passOn(
  sent: SentRequest,
  { upstream, heard }: PassOn,
  { authorize, read }: UpstreamWording,
  signal: AbortSignal,
): Promise<HttpReply | { failed: string }> {
  const fail = (why: string) => {
    const failed = `${upstream.url} ${why}`;
    heard({ failed });
    return { failed };
  };
  const { key } = upstream;
  let answer: HttpAnswer;
  try {
    answer = await postText(
      addressOf(upstream.url, sent.path),
      {
        ...passedHeaders(sent.headers),
        "accept-encoding": "gzip, deflate, br",
        ...(key === undefined ? {} : authorize(key)),
      },
      sent.text,
      signal,
    );
  } catch (error) {
    return fail(`cannot be reached: ${reasonOf(error)}`);
  }
  const { status, body } = answer;
  if (status !== 200 && status < 400) {
    body.destroy();
    const location = oneLine(String(answer.headers.location ?? ""), 200);
    const where = location === "" ? "" : ` to ${location}, where the key is not sent`;
    return fail(`answers with status ${status}${where}`);
  }
  const reading = new AnswerReader((text, error) => {
    if (status >= 400) return heard({ turn: errorTurn(status, answer.headers, text), notes: [] });
    const found = read(text);
    if (found === undefined) {
      const why = error === undefined ? `answers with ${excerpt(text)}` : `broke off: ${reasonOf(error)}`;
      return heard({ failed: `${upstream.url} ${why}` });
    }
    const { turn, notes, ended } = found;
    if (ended) return heard({ turn, notes });
    heard({
      turn: { ...turn, error: { stream: "cut" } },
      notes: [...notes, `the answer broke off${error === undefined ? "" : `: ${reasonOf(error)}`}`],
    });
  });
  body.on("error", (error) => reading.breakOff(error));
  // An agent that leaves is waited for by no one.
  reading.on("close", () => body.destroy());
  body.pipe(reading);
  return {
    status,
    headers: {
      ...Object.fromEntries(answered.flatMap((name) => {
        const value = answer.headers[name];
        return typeof value === "string" ? [[name, value]] : [];
      })),
      // Where a server announces that it closes, Node's clients take a cut answer for a whole one.
      connection: "keep-alive",
    },
    body: reading,
  };
}

/** Keeps what passes; tells it once, at the end or where it breaks off. */
class AnswerReader extends Transform {
  readonly #chunks: Uint8Array[] = [];
  readonly #tell: (text: string, error: Error | undefined) => void;
  #length = 0;
  #told = false;

  constructor(tell: (text: string, error: Error | undefined) => void) {
    super();
    this.#tell = tell;
  }

  override _transform(chunk: Uint8Array, _encoding: string, done: TransformCallback): void {
    this.#length += chunk.length;
    if (this.#length > longestAnswer) {
      const error = new Error(`it is longer than ${longestAnswer} bytes`);
      this.#end(error);
      return done(error);
    }
    this.#chunks.push(chunk);
    done(null, chunk);
  }

  override _flush(done: TransformCallback): void {
    this.#end(undefined);
    done();
  }

  breakOff(error: Error): void {
    // The agent has left, which ended the connection.
    if (this.destroyed) return;
    this.#end(error);
    this.destroy(error);
  }

  #end(error: Error | undefined): void {
    if (this.#told) return;
    this.#told = true;
    this.#tell(new TextDecoder().decode(Buffer.concat(this.#chunks)), error);
  }
}

/** The path of the request at the upstream; a first part that both have, such as `v1`, stands once. */
export function addressOf(upstream: string, path: string): URL {
  const address = new URL(upstream);
  const { pathname, searchParams } = new URL(path, "http://loopback");
  const base = address.pathname.split("/").filter((part) => part !== "");
  const parts = pathname.split("/").filter((part) => part !== "");
  address.pathname = [...base, ...parts.slice(base.at(-1) === parts[0] ? 1 : 0)].join("/");
  searchParams.delete("key");
  address.search = searchParams.toString();
  return address;
}

const passedHeaders = (headers: SentRequest["headers"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value === undefined || notPassed.has(name)) return [];
      return [[name, Array.isArray(value) ? value.join(", ") : value]];
    }),
  );

/** An error of the API as a turn that repeats it. */
function errorTurn(status: number, headers: HttpAnswer["headers"], text: string): ModelTurn {
  const body = jsonIn(text);
  const found = Array.isArray(body) ? body[0] : body;
  const error = isObject(found) ? found.error ?? found : undefined;
  const message = isObject(error) ? error.message : error;
  const wait = Number(headers["retry-after"]);
  return {
    error: {
      status: Math.min(status, 599),
      message: typeof message === "string" && message !== "" ? message : excerpt(text),
      ...(headers["retry-after"] === undefined || !(wait >= 0) ? {} : { retry_after: Math.min(wait, 3600) }),
    },
  };
}

const excerpt = (text: string): string => text.trim() === "" ? "an empty body" : oneLine(text, 200);

/** Some errors of connections have their words in their parts. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(errorMessage).join("; ");
  return errorMessage(error);
}
