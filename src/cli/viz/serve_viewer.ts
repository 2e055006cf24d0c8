/** Serves the page until it is interrupted, or, for one that another process started, until nobody looks any more. */
import type { Buffer } from "node:buffer";
import { errorMessage } from "../../core/errors.ts";
import { isMacOS } from "../../platform/host.ts";
import { definedOnly } from "../../core/values.ts";
import type { Announcement } from "../../registry/announcement.ts";
import { listAnnouncements } from "../../visualizer/live/list_announcements.ts";
import { ownPage } from "../../visualizer/server/page_bundle.ts";
import { openViewer, type Viewer } from "../../visualizer/server/open_viewer.ts";
import { liveId, recordingId } from "../../visualizer/server/viewer_source.ts";
import type { CommandContext } from "../command.ts";
import { type Interruption, listenForInterrupts } from "../listen_for_interrupts.ts";
import { findLiveSession, tableOf } from "./find_live_session.ts";
import { openBrowser, openerOf } from "./open_browser.ts";
import type { ServeRequest } from "./viz_request.ts";
import { stdin } from "../../platform/streams.ts";
import { openSources } from "../../visualizer/server/sources.ts";

/** A viewer that another process started ends after so long without a page, in seconds. */
const patience = 60;

/** Answers the exit code. @throws {PthError} where the page cannot be served, or what was named is not there */
export async function serveViewer(request: ServeRequest, context: CommandContext): Promise<number> {
  const interruption = listenForInterrupts(context, "The viewer ends.");
  let viewer: Viewer | undefined;
  try {
    const running = await runningSessions(context);
    const place = placeOf(request, running);
    const { recording, port, allowSend } = request;
    const bundle = await ownPage();
    viewer = await openViewer({
      sources: await openSources(definedOnly({ allowSend, recording })),
      bundle,
      again: request.spawned
        ? "Follow the session's address again."
        : "For a new address press Enter where pth viz runs, or run pth viz again.",
      ...definedOnly({ port }),
    });
    const { address } = viewer;
    const fresh = () => `${address()}${place}`;
    if (request.spawned) return await serveSpawned(request, viewer, fresh, interruption, context);
    return await serveHere(request, running, fresh, interruption, context);
  } finally {
    interruption.stop();
    await viewer?.close();
  }
}

/** A folder that cannot be read is told: recordings and machines can be looked at all the same. */
async function runningSessions({ stderr }: CommandContext): Promise<Announcement[]> {
  try {
    return await listAnnouncements();
  } catch (error) {
    stderr.write(`Cannot look for live sessions: ${errorMessage(error)}\n`);
    return [];
  }
}

/** What the page shows first, as the hash of its address. @throws {PthError} `INVALID_INPUT` for an unknown session */
function placeOf({ recording, session, machines }: ServeRequest, running: readonly Announcement[]): string {
  if (machines) return "#source=machines";
  if (recording !== undefined) return `#source=${recordingId}`;
  return session === undefined ? "" : `#source=${liveId(findLiveSession(session, running))}`;
}

async function serveHere(
  request: ServeRequest,
  running: readonly Announcement[],
  fresh: () => string,
  interruption: Interruption,
  context: CommandContext,
): Promise<number> {
  const { stdout, stderr, onKey } = context;
  stderr.write(noticeOf(request, running));
  const address = fresh();
  stdout.write(`${address}\n`);
  const opener = openerOf(context.env, isMacOS);
  if (request.open && onKey !== undefined && stderr.isTerminal && opener !== undefined) {
    await openBrowser(opener, address, stderr);
  }
  if (onKey !== undefined) stderr.write("Enter prints another address, Ctrl-C ends the viewer.\n");
  const stopKeys = onKey?.((key) => {
    if (key === "\r" || key === "\n") stdout.write(`${fresh()}\n`);
  });
  try {
    return await interrupted(interruption);
  } finally {
    stopKeys?.();
  }
}

function noticeOf(
  { recording, session, machines, allowSend }: ServeRequest,
  running: readonly Announcement[],
) {
  const sending = allowSend ? "Events may be sent from the page to live sessions.\n" : "";
  if (recording !== undefined || session !== undefined || machines) return sending;
  if (running.length === 0) {
    return `${sending}No session runs now: the page shows those that begin, and the machines.\n`;
  }
  if (running.length === 1) return sending;
  return `${sending}${running.length} sessions run; choose one in the page, or with --session:\n${
    tableOf(running)
  }`;
}

/** A line of JSON says where it is, another one each line that it is sent; whoever started it may end before it does. */
async function serveSpawned(
  { idle = patience }: ServeRequest,
  viewer: Viewer,
  fresh: () => string,
  interruption: Interruption,
  { stdout }: CommandContext,
): Promise<number> {
  const tell = () => stdout.write(`${JSON.stringify({ address: fresh() })}\n`);
  stdin().on("data", (chunk: Buffer) => {
    for (const byte of chunk) if (byte === lineFeed) tell();
  });
  tell();
  const longest = idle * 1000;
  let timer: ReturnType<typeof setInterval> | undefined;
  const left = new Promise<number>((resolve) => {
    timer = setInterval(() => viewer.idleMs() > longest && resolve(0), Math.min(1000, longest));
  });
  try {
    return await Promise.race([left, interrupted(interruption)]);
  } finally {
    clearInterval(timer);
  }
}

const lineFeed = 10;

const interrupted = ({ signal, exitCode }: Interruption): Promise<number> =>
  new Promise((resolve) => {
    const tell = () => resolve(exitCode()!);
    if (signal.aborted) tell();
    else signal.addEventListener("abort", tell, { once: true });
  });
