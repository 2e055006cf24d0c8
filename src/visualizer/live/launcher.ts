/**
 * An address that is there before its viewer is: it costs a listening socket, and starts a viewer when someone comes.
 * It is in `pth_start_session`'s answer.
 */
import { asPthError } from "../../core/errors.ts";
import { type HttpReply, type HttpRequest, serveOnLoopback } from "../../platform/http_server.ts";
import { log } from "../../platform/log.ts";
import { createAccessGuard } from "../server/access_guard.ts";
import { notePage } from "../server/note_page.ts";
import { safeHeaders } from "../server/safe_headers.ts";
import { startViewer, type ViewerProcess } from "./viewer_process.ts";

export interface Launcher {
  /** A new address on this host's loopback; the first browser that opens it is let in, and may come again. */
  address(): string;
  /** Listens no more. A viewer that someone looks at stays as long as they do. */
  close(): Promise<void>;
}

/** @throws {PthError} `PORT_TAKEN` where nothing can listen */
export async function openLauncher(
  viewerArgs: readonly string[],
  start: (args: readonly string[]) => Promise<ViewerProcess> = startViewer,
): Promise<Launcher> {
  let viewer: Promise<ViewerProcess> | undefined;
  /** The viewer that is there, else a new one. */
  const living = async (): Promise<ViewerProcess> => {
    const known = await viewer?.catch(() => undefined); // it was told to who asked for it
    if (known?.lives()) return known;
    return await (viewer = start(viewerArgs));
  };
  let last: Promise<unknown> = Promise.resolve();
  /** Two clicks at once start one viewer. */
  const addressOfViewer = (): Promise<string> => {
    const address = last.then(async () => (await living()).address());
    last = address.catch(() => undefined); // told to who asked
    return address;
  };
  const handle = async (request: HttpRequest): Promise<HttpReply> => {
    const stopped = door.stop(request);
    if (stopped !== undefined) return stopped;
    if (request.path.split("?")[0] !== door.place || request.method !== "GET") {
      return notePage(404, "Not here", ["There is nothing at this address."]);
    }
    try {
      return { status: 303, headers: { ...safeHeaders, location: await addressOfViewer() } };
    } catch (thrown) {
      const error = asPthError(thrown, "Cannot open the visualizer");
      log.warn(error.message, { error });
      return notePage(502, "The visualizer did not start", [
        error.message,
        ...(error.context.output ? [error.context.output] : []),
        "Run pth viz in a terminal: it finds the session, too.",
      ]);
    }
  };
  const server = await serveOnLoopback(handle);
  const door = createAccessGuard({
    port: () => server.port,
    again: "Run pth viz in a terminal: it finds the session, and prints an address of its own.",
  });
  return { address: () => door.address(), close: () => server.close() };
}
