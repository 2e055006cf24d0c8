/** Each call of the engine's API in the debug log. */
import type Docker from "dockerode";
import { log } from "../../platform/log.ts";

/** What is used of the client's inner part, which its types leave open. */
interface Modem {
  dial(request: { method: string; path: string }, callback: (error: unknown, data: unknown) => void): void;
}

/** The same client; bodies and headers are not logged, for they hold environments' variables. */
export function logCalls(engine: Docker): Docker {
  if (!log.enabled("debug")) return engine;
  const modem = engine.modem as Modem;
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
