/**
 * An address that is there before its viewer is: it costs a listening socket, and starts a viewer when someone comes.
 * It is in `pth_start_session`'s answer.
 */
import { asPthError, PthError } from "../../core/errors.ts";
import { type HttpReply, type HttpRequest, serveOnLoopback } from "../../platform/http_server.ts";
import { log } from "../../platform/log.ts";
import { createAccessGuard } from "../server/access_guard.ts";
import { createLineSplitter } from "../../platform/line_splitter.ts";
import { selfCommand } from "../../platform/own_files.ts";
import { type HostProcess, spawnProcess } from "../../platform/process.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import { notePage, safeHeaders } from "../server/replies.ts";

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
    const known = await viewer?.catch(() => undefined); // its caller got the error
    if (known?.lives()) return known;
    return await (viewer = start(viewerArgs));
  };
  let last: Promise<unknown> = Promise.resolve();
  /** Two clicks at once start one viewer. */
  const addressOfViewer = (): Promise<string> => {
    const address = last.then(async () => (await living()).address());
    last = address.catch(() => undefined); // its caller gets the error
    return address;
  };
  const handle = async (request: HttpRequest): Promise<HttpReply> => {
    const stopped = guard.stop(request);
    if (stopped !== undefined) return stopped;
    if (request.path.split("?")[0] !== guard.place || request.method !== "GET") {
      return notePage(404, "Not here", ["This address does not exist."]);
    }
    try {
      return { status: 303, headers: { ...safeHeaders, location: await addressOfViewer() } };
    } catch (thrown) {
      const error = asPthError(thrown, "Cannot open the visualizer");
      log.warn(error.message, { error });
      return notePage(502, "The visualizer did not start", [
        error.message,
        ...(error.context.output ? [error.context.output] : []),
        "Run pth viz in a terminal: it finds the session as well.",
      ]);
    }
  };
  const server = await serveOnLoopback(handle);
  const guard = createAccessGuard({
    port: () => server.port,
    again: "Run pth viz in a terminal: it finds the session, and prints an address of its own.",
  });
  return { address: () => guard.address(), close: () => server.close() };
}

/**
 * A viewer (`pth viz --spawned`) as a process of its own: it prints one JSON line with an address that opens once, and
 * another for each line that it is sent. It ends by itself, some time after its last page has gone.
 */
export interface ViewerProcess {
  readonly pid: number;
  /** A new address that opens once. @throws {PthError} `START_FAILED` when it gives none, for whatever reason */
  address(): Promise<string>;
  /** False once it has ended. */
  lives(): boolean;
}

/** The page is built when a viewer starts; on a busy machine that takes seconds. */
const answerWithinMs = 30_000;

/** Characters of the viewer's stderr that are kept for an error message. */
const keptCharacters = 2000;

/** @param args options of `pth viz` in addition to `--spawned` */
export async function startViewer(
  args: readonly string[],
  command: (...args: string[]) => readonly string[] = selfCommand,
): Promise<ViewerProcess> {
  // A group of its own: the terminal's Ctrl-C is not meant for a page that someone still looks at.
  const viewer = await spawnProcess(command("viz", "--spawned", ...args), { ownGroup: true });
  const lines = linesOf(viewer);
  let isFirst = true;
  let alive = true;
  let last: Promise<unknown> = Promise.resolve();
  void viewer.ended.then(() => alive = false);
  const next = async () => {
    if (!isFirst) viewer.stdin.write("\n");
    isFirst = false;
    return addressIn(await lines.next());
  };
  return {
    pid: viewer.pid,
    lives: () => alive,
    address() {
      const address = last.then(next);
      last = address.catch(() => undefined); // its caller gets the error
      return address;
    },
  };
}

function addressIn(line: string): string {
  const told = jsonIn(line);
  if (isObject(told) && typeof told["address"] === "string") return told["address"];
  throw new PthError("START_FAILED", "Cannot open the visualizer: the viewer did not report its address", {
    output: line,
  });
}

/** Lines of the viewer's stdout, one after the other; its stderr is kept for errors. */
function linesOf(viewer: HostProcess): { next(): Promise<string> } {
  const read: string[] = [];
  let said = "";
  let wake: () => void = () => {};
  let isOver = false;
  const lines = createLineSplitter({
    maxBytes: 64 * 1024,
    onLine: (line) => {
      read.push(line);
      wake();
    },
    onOverlong: () => viewer.kill(),
  });
  viewer.stdout.on("data", (chunk: Uint8Array) => lines.push(chunk));
  viewer.stderr.on("data", (chunk: Uint8Array) => {
    said = (said + new TextDecoder().decode(chunk)).slice(-keptCharacters);
  });
  void viewer.exited.then(() => {
    isOver = true;
    wake();
  });
  return {
    async next() {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        wake();
      }, answerWithinMs);
      while (read.length === 0 && !isOver && !isLate) await new Promise<void>((resolve) => wake = resolve);
      clearTimeout(timer);
      const line = read.shift();
      if (line !== undefined) return line;
      // A viewer without an address is useless.
      if (isLate) viewer.kill();
      const why = isLate ? `the viewer did not answer within ${answerWithinMs / 1000} s` : "the viewer ended";
      throw new PthError("START_FAILED", `Cannot open the visualizer: ${why}`, { output: said.trim() });
    },
  };
}
