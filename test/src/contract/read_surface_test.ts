/** What is asked of a server for its surface, and what of its answers is refused. */
import process from "node:process";
import t from "tap";
import type { CallOutcome, ToolDefinition } from "../../../machines/model/plugin.ts";
import type { Connection } from "../../../src/client/connection.ts";
import { readSurface } from "../../../src/contract/read_surface.ts";
import { answered } from "../testing/observed.ts";

type Ask = (params: Record<string, unknown>, signal: AbortSignal) => Promise<CallOutcome>;

/** A server with prompts, and nothing else that is declared. */
const server = (ask: Ask, tools: ToolDefinition[] = []) => ({
  server: { name: "s", version: "1", protocolVersion: "x", capabilities: { prompts: {} } },
  listTools: () => Promise.resolve(tools),
  request: (_method: string, params: unknown, options: { signal?: AbortSignal } = {}) =>
    ask(params as Record<string, unknown>, options.signal!),
} as unknown as Pick<Connection, "server" | "listTools" | "request">);

const page = (names: string[], nextCursor?: string) =>
  Promise.resolve(answered("", { raw: { prompts: names.map((name) => ({ name })), nextCursor } }));

t.test("all pages count, in the order of names", async (t) => {
  const { prompts } = await readSurface(server(({ cursor }) => cursor ? page(["a"]) : page(["b"], "2")));
  t.match(prompts, [{ name: "a" }, { name: "b" }]);
});

t.test("pages that never end are refused", async (t) => {
  let pages = 0;
  const endless = readSurface(server(() => page(["a"], String(pages++))));
  await t.rejects(endless, { code: "PROTOCOL_VIOLATION", message: /pages never end/ });
});

t.test("a definition that is nested without floor is refused by its tool's name", async (t) => {
  const inputSchema = JSON.parse(`${'{"not":'.repeat(2000)}{}${"}".repeat(2000)}`);
  const deep = readSurface(server(() => page([]), [{ name: "deep", inputSchema }]));
  await t.rejects(deep, { code: "PROTOCOL_VIOLATION", message: /definition of deep/ });
});

t.test("a list that is never answered is waited for half a minute, or until the request is cancelled", async (t) => {
  const timers = t.capture(globalThis, "setTimeout", (end: () => void) => (queueMicrotask(end), 0));
  const silent: Ask = (_params, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  await t.rejects(readSurface(server(silent)), {
    code: "SERVER_SILENT",
    message: /prompts\/list within 30 s/,
  });
  const [end, ms] = timers()[0]!.args as unknown as [unknown, number];
  t.type(end, "function");
  // What the machine took since the question began is gone.
  t.ok(ms > 25_000 && ms <= 30_000, `${ms} ms`);
  timers.restore();
  const stop = new AbortController();
  const reading = readSurface(server(silent), stop.signal);
  process.nextTick(() => stop.abort(new Error("enough")));
  await t.rejects(reading, { message: "enough" });
});
