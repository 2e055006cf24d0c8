/** Serves the page until it is interrupted or, if another process started the viewer, until no page is open. */
import type { Buffer } from "node:buffer";
import { errorMessage, PthError } from "../../core/errors.ts";
import { isMacOS } from "../../platform/host.ts";
import { definedOnly } from "../../core/values.ts";
import type { Announcement } from "../../registry/announcement.ts";
import { listAnnouncements } from "../../visualizer/live/list_announcements.ts";
import { ownPage } from "../../visualizer/server/page_bundle.ts";
import { openViewer, type Viewer } from "../../visualizer/server/open_viewer.ts";
import { liveId, recordingId, whatRuns } from "../../visualizer/server/viewer_source.ts";
import type { CommandContext } from "../command.ts";
import { type Interruption, listenForInterrupts } from "../listen_for_interrupts.ts";
import type { ServeRequest } from "./read_viz_request.ts";
import { stdin } from "../../platform/streams.ts";
import { openSources } from "../../visualizer/server/sources.ts";
import { spawnProcess } from "../../platform/process.ts";
import { renderTable } from "../render_table.ts";

/** A viewer that another process started ends after so long without a page, in seconds. */
const patience = 60;

/** Answers the exit code. @throws {PthError} where the page cannot be served, or what was named is not there */
export async function serveViewer(request: ServeRequest, context: CommandContext): Promise<number> {
  const interruption = listenForInterrupts(context, "Closing the viewer.");
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
        ? "Open the session's address again."
        : "For a new address press Enter in the terminal of pth viz, or run pth viz again.",
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

/** Lists live sessions; an unreadable folder is only a notice, since recordings and statecharts can still be shown. */
async function runningSessions({ stderr }: CommandContext): Promise<Announcement[]> {
  try {
    return await listAnnouncements();
  } catch (error) {
    stderr.write(`Cannot look for live sessions: ${errorMessage(error)}\n`);
    return [];
  }
}

/** Hash of the page's address: what it shows first. @throws {PthError} `INVALID_INPUT` for an unknown session */
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
  if (onKey !== undefined) stderr.write("Enter prints a new address, Ctrl-C closes the viewer.\n");
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
  const sending = allowSend ? "The page may send events to live sessions.\n" : "";
  if (recording !== undefined || session !== undefined || machines) return sending;
  if (running.length === 0) {
    return `${sending}No session is running: the page shows sessions as they start, and the statecharts.\n`;
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

/** The command that opens an address, or undefined where there is no display. */
export function openerOf(env: CommandContext["env"], isMac: boolean): string | undefined {
  if (isMac) return "open";
  return env("DISPLAY") || env("WAYLAND_DISPLAY") ? "xdg-open" : undefined;
}

/** A desktop without such a command is no failure: the address is printed. */
export async function openBrowser(
  opener: string,
  address: string,
  stderr: CommandContext["stderr"],
): Promise<void> {
  try {
    // A browser that it starts lives on without the viewer.
    const child = await spawnProcess([opener, address], { ownGroup: true });
    for (const stream of [child.stdout, child.stderr]) stream.resume();
  } catch (error) {
    stderr.write(`The browser was not opened: ${errorMessage(error)}\n`);
  }
}

/** @throws {PthError} `INVALID_INPUT` where none runs under that name, or several do in that process */
export function findLiveSession(named: string, running: readonly Announcement[]): Announcement {
  const found = running.filter(({ id, sessionId, owner }) =>
    [id, sessionId, String(owner.pid)].includes(named)
  );
  if (found.length === 1) return found[0]!;
  const choice = (of: readonly Announcement[]) =>
    of.map((one) => `pth viz --session ${one.id} (${whatRuns(one)}${targetOf(one)})`);
  if (found.length > 1) {
    const state = `${found.length} sessions run in that process`;
    throw new PthError("INVALID_INPUT", `Cannot show session ${named}: ${state}`, { next: choice(found) });
  }
  throw new PthError("INVALID_INPUT", `Cannot show session ${named}: no such session runs`, {
    next: running.length === 0
      ? [
        "Start one: pth run <target>, or use pth mcp",
        "Open a recording: pth viz <file>",
      ]
      : choice(running),
  });
}

const targetOf = ({ target }: Announcement): string => target === undefined ? "" : ` ${target}`;

export const tableOf = (running: readonly Announcement[]): string =>
  renderTable(
    ["SESSION", "PROCESS", "COMMAND", "SINCE (LOCAL TIME)", "TARGET"],
    running.map((one) => [
      one.id,
      String(one.owner.pid),
      whatRuns(one),
      localTime(new Date(one.startedAt)),
      one.target ?? "",
    ]),
  );

/** Formats a time like the page does: `2026-01-15 11:30:00`. */
function localTime(at: Date): string {
  const two = (number: number) => String(number).padStart(2, "0");
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join("-");
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":")}`;
}
