/**
 * The engine's client, kept to the engine: a path that a value would change is never sent, and a redirect is an error.
 *
 * The client puts names and ids into paths as they are, and follows redirects, with bodies left out, to wherever they lead.
 */
import type Docker from "dockerode";
import { PthError } from "../../core/errors.ts";
import { log } from "../../platform/log.ts";

/** The client's inner part, as far as it is used; its types leave it open. */
interface Modem {
  dial(request: { method: string; path: string }, callback: (error: unknown, data: unknown) => void): void;
  buildRequest(options: object, ...rest: unknown[]): void;
}

/** Segments of what needs no encoding; the client adds the query, encoded, after a last "?". */
const plainPath = /^(?:\/(?!\.{1,2}(?:\/|\??$))[\w.:@-]+)+\??$/;

/** The same client. */
export function guardCalls(engine: Docker): Docker {
  const modem = engine.modem as unknown as Modem;
  const dial = modem.dial.bind(modem);
  modem.dial = (request, callback) => {
    if (!plainPath.test(request.path)) return callback(notSent(request.path), null);
    dial(request, (error, data) => callback(redirected(error), data));
  };
  const build = modem.buildRequest.bind(modem);
  modem.buildRequest = (options, ...rest) => build(Object.assign(options, { maxRedirects: 0 }), ...rest);
  return engine;
}

const notSent = (path: string): PthError =>
  new PthError(
    "INVALID_INPUT",
    `Cannot ask the engine: ${JSON.stringify(path.slice(0, 120))} has characters that no name may have`,
    { next: ["Give images as name:tag or name@digest: letters, digits, . _ - and /"] },
  );

function redirected(error: unknown): unknown {
  if (!(error instanceof Error) || !error.message.startsWith("Max redirects exceeded")) return error;
  return new PthError(
    "RUNTIME_UNAVAILABLE",
    "Cannot reach the container engine: it answers with a redirect, which is not followed",
    { next: ["Name the engine itself: DOCKER_HOST=tcp://HOST:PORT or unix:///path/to.sock"] },
    { cause: error },
  );
}

/** Logs each call at level debug and answers the same client. Bodies and headers stay out: they hold environments' variables. */
export function logCalls(engine: Docker): Docker {
  if (!log.enabled("debug")) return engine;
  const modem = engine.modem as unknown as Modem;
  const dial = modem.dial.bind(modem);
  modem.dial = (request, callback) => {
    const started = performance.now();
    dial(request, (error, data) => {
      const { statusCode, message } = (error ?? {}) as { statusCode?: number; message?: string };
      log.debug("engine called", {
        method: request.method,
        path: request.path,
        ms: Math.round(performance.now() - started),
        ...(error ? { status: statusCode, error: message } : {}),
      });
      callback(error, data);
    });
  };
  return engine;
}
