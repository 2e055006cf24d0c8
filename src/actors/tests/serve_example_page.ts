/** Serves the example pages to a session's environment, as long as the session lives. */
import { errorMessage, PthError } from "../../core/errors.ts";
import { type HttpReply, type HttpServer, serveOnLoopback } from "../../platform/http_server.ts";
import {
  examplePageHeader,
  examplePagePort,
  examplePages,
  examplePageUrl,
} from "../../testing/example_files/example_page.ts";
import type { SessionResources } from "../session_resources.ts";
import type { LiveEnvironment } from "../stores/environment_holder.ts";

const probeMs = 2_000;

/** Sessions of this process share one server: the address is the same for all. */
let shared: { server: Promise<HttpServer>; users: Set<SessionResources> } | undefined;

/** Environments that the pages are led into, until that is lost. */
const led = new WeakMap<LiveEnvironment, Promise<void>>();

/**
 * Does nothing where the pages are served to this session already.
 * @returns false where they cannot be reached: the session is told why
 */
export async function serveExamplePage(live: SessionResources): Promise<boolean> {
  const { current } = live.environment;
  if (current === undefined || live.target.url !== undefined) return false;
  const { signal } = live.tasks.closing;
  try {
    await holdServer(live).catch(async (error) => {
      signal.throwIfAborted();
      if (!await isServedByAnother()) throw error;
    });
    await (led.get(current) ?? leadInto(current, signal));
    return true;
  } catch (error) {
    signal.throwIfAborted();
    live.progress.note(`Example pages are missing: ${errorMessage(error)}`);
    return false;
  }
}

/** The way in ends with the environment. @throws {PthError} as `forwardHostPort`; `PORT_TAKEN` */
async function leadInto(environment: LiveEnvironment, signal: AbortSignal): Promise<void> {
  const leading = lead(environment, signal);
  led.set(environment, leading);
  await leading.catch((error) => {
    led.delete(environment);
    throw error;
  });
}

async function lead(environment: LiveEnvironment, signal: AbortSignal): Promise<void> {
  const { runtime, info } = environment;
  const way = await runtime.forwardHostPort(info.handle, examplePagePort, signal);
  void way.lost.then(() => led.delete(environment));
  if (way.port === examplePagePort) return;
  await way.close();
  throw new PthError("PORT_TAKEN", `port ${examplePagePort} of the environment is taken`);
}

async function holdServer(live: SessionResources): Promise<void> {
  if (shared?.users.has(live)) return void await shared.server;
  const { signal } = live.tasks.closing;
  signal.throwIfAborted();
  const held = shared ??= { server: startServer(), users: new Set() };
  held.users.add(live);
  signal.addEventListener("abort", () => live.tasks.track(letGo(held, live)), { once: true });
  try {
    await held.server;
  } catch (error) {
    if (shared === held) shared = undefined;
    throw error;
  }
}

async function letGo(held: NonNullable<typeof shared>, live: SessionResources): Promise<void> {
  held.users.delete(live);
  if (held.users.size > 0) return;
  if (shared === held) shared = undefined;
  const server = await held.server.catch(() => undefined); // It was told where it was started.
  await server?.close();
}

async function startServer(): Promise<HttpServer> {
  const pages = examplePages();
  const answer = ({ path }: { path: string }): Promise<HttpReply> => {
    const page = pages.get(path.replace(/[?#].*$/s, ""));
    const headers = { [examplePageHeader]: "1" };
    if (page === undefined) return Promise.resolve({ status: 404, headers });
    return Promise.resolve({
      status: 200,
      headers: { ...headers, "content-type": page.mediaType, "content-length": String(page.body.length) },
      body: page.body,
    });
  };
  return await serveOnLoopback(answer, examplePagePort);
}

/** Another PTH of this machine may serve the same pages. */
async function isServedByAnother(): Promise<boolean> {
  try {
    const response = await fetch(examplePageUrl("html"), {
      signal: AbortSignal.timeout(probeMs),
      redirect: "error",
    });
    await response.body?.cancel();
    return response.headers.has(examplePageHeader);
  } catch {
    // Whoever has the port is no HTTP server, or answers too late.
    return false;
  }
}
