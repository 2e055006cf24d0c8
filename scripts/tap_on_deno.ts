/**
 * Preload that makes node-tap run on Deno.
 *
 * node-tap recognises V8 call sites by the name of their constructor; Deno's wrapped call sites have none. This names it.
 */
interface StackTraceApi {
  prepareStackTrace?: (error: unknown, sites: unknown[]) => unknown;
  captureStackTrace(target: object): void;
}

const v8 = Error as unknown as StackTraceApi;
const previous = v8.prepareStackTrace;
const probe: { stack?: object[] } = {};
v8.prepareStackTrace = (_error, sites) => sites;
v8.captureStackTrace(probe);
const prototype: object | null = Object.getPrototypeOf(probe.stack?.[0] ?? null);
if (previous === undefined) delete v8.prepareStackTrace;
else v8.prepareStackTrace = previous;

if (prototype !== null && prototype.constructor?.name !== "CallSite") {
  Object.defineProperty(prototype, "constructor", { value: class CallSite {}, configurable: true });
}

// Plugins that tests make are no plugins of whoever runs them.
if (!Deno.env.has("PTH_HISTORY_DIR")) {
  Deno.env.set("PTH_HISTORY_DIR", new URL("../.build/history", import.meta.url).pathname);
}
