/** The viewer's side of a session's socket: has it recorded, and hears when it has ended. */
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type ErrorCode, errorCodes, errorMessage, PthError } from "../../core/errors.ts";
import { pathExists, removeIfExists } from "../../platform/files.ts";
import { createLineSplitter } from "../../platform/line_splitter.ts";
import { log } from "../../platform/log.ts";
import { connectToPath } from "../../platform/sockets.ts";
import { definedOnly, isObject, jsonIn } from "../../core/values.ts";
import type {
  Announcement,
  AnswerError,
  SentEvent,
  ViewerMessage,
  ViewerRequest,
} from "../../registry/announcement.ts";
import { listAnnouncements } from "./list_announcements.ts";
import { announcementPath, liveFolder, viewerPath, writeLive } from "../../registry/live_folder.ts";
import { isOwnerAlive, thisProcess } from "../../platform/proc.ts";

export interface WatchedSession {
  /** The recording, which grows until `ended`. */
  file: string;
  /** Resolves when nothing more comes; `reason` is for people. Never rejects. */
  ended: Promise<{ reason: string }>;
  /** @throws {PthError} `INVALID_INPUT`, `NOT_NOW` when the actor cannot be sent that, or the session is over */
  send(actor: string, event: SentEvent): Promise<void>;
  /** Looks at it no more. */
  close(): Promise<void>;
}

/** A session says that it is there a moment before it answers. */
const patienceMs = 1000;
const betweenTriesMs = 50;
/** Recording begins with what is remembered, which takes a moment; a process that hangs takes longer. */
const answerWithinMs = 10_000;

/**
 * Connects and has the session recorded for as long as it is watched.
 * @throws {PthError} `NOT_NOW` when it has just ended or does not answer
 */
export async function watchSession(
  announcement: Announcement,
  folder: string = liveFolder(),
): Promise<WatchedSession> {
  // Readers register first: the recording of a session that has ended is kept for them.
  const note = viewerPath(folder, announcement.id, crypto.randomUUID());
  await writeLive(note, JSON.stringify(await thisProcess()));
  const close = async (line?: Line) => {
    await line?.close();
    await removeIfExists(note);
    await listAnnouncements(folder);
  };
  let line: Line | undefined;
  try {
    line = converse(await connect(announcement, folder), announcement);
    const answer = await line.ask({ ask: "watch" });
    if (!("file" in answer)) throw new PthError("NOT_NOW", "Cannot watch: it ended before it was recorded");
    return {
      file: answer.file,
      ended: line.ended,
      send: async (actor, event) => void await line!.ask({ ask: "send", actor, event }),
      close: () => close(line),
    };
  } catch (error) {
    await close(line);
    throw error;
  }
}

async function connect(announcement: Announcement, folder: string): Promise<Socket> {
  const started = performance.now();
  for (;;) {
    try {
      return await connectToPath(announcement.socket);
    } catch (cause) {
      const isGone = !await pathExists(announcementPath(folder, announcement.id)) ||
        !await isOwnerAlive(announcement.owner);
      if (isGone || performance.now() - started > patienceMs) {
        const why = isGone ? "it has just ended" : errorMessage(cause);
        throw new PthError("NOT_NOW", `Cannot watch ${nameOf(announcement)}: ${why}`, {}, { cause });
      }
      await pause(betweenTriesMs);
    }
  }
}

const nameOf = ({ command, owner }: Announcement): string => `pth ${command} (process ${owner.pid})`;

type Given = Exclude<ViewerMessage, { error: unknown } | { ended: true }>;

interface Line {
  /** One question at a time is answered, in the order asked. @throws {PthError} what the session answers */
  ask(question: ViewerRequest): Promise<Given>;
  ended: Promise<{ reason: string }>;
  close(): Promise<void>;
}

interface Waiting {
  ask: ViewerRequest["ask"];
  resolve(answer: Given): void;
  reject(error: PthError): void;
}

function converse(socket: Socket, announcement: Announcement): Line {
  const waiting: Waiting[] = [];
  /** Reason that the session gave for its end. */
  let farewell: string | undefined;
  let closedHere = false;
  const lines = createLineSplitter({
    maxBytes: 1024 * 1024,
    onLine: (text) => {
      const answer = read(text);
      if (answer === undefined) {
        return log.warn("Cannot read an answer of a session", { session: announcement.id });
      }
      if ("ended" in answer) farewell = answer.reason ?? `${nameOf(announcement)} has ended`;
      else settle(waiting, answer);
    },
    onOverlong: () => socket.destroy(),
  });
  socket.on("data", (chunk: Uint8Array) => lines.push(chunk));
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const ended = closed.then(async () => {
    const reason = closedHere ? "It is no longer watched" : farewell ?? await reasonOf(announcement);
    for (const { reject } of waiting.splice(0)) {
      reject(new PthError("NOT_NOW", `Cannot ask the session: ${reason}`));
    }
    return { reason };
  });
  return {
    ended,
    ask: (question) => {
      if (socket.destroyed || farewell !== undefined) {
        return Promise.reject(new PthError("NOT_NOW", `Cannot ask ${nameOf(announcement)}: it has ended`));
      }
      const answered = new Promise<Given>((resolve, reject) =>
        waiting.push({ ask: question.ask, resolve, reject })
      );
      socket.write(`${JSON.stringify(question)}\n`);
      const timer = setTimeout(() => socket.destroy(), answerWithinMs);
      return answered.finally(() => clearTimeout(timer));
    },
    async close() {
      closedHere = true;
      socket.destroy();
      await closed;
    },
  };
}

function read(text: string): ViewerMessage | undefined {
  const value = jsonIn(text);
  return isObject(value) && typeof value["ask"] === "string" ? value as unknown as ViewerMessage : undefined;
}

function settle(waiting: Waiting[], answer: Exclude<ViewerMessage, { ended: true }>): void {
  // A question that the session could not read is the oldest one.
  const at = Math.max(0, waiting.findIndex(({ ask }) => ask === answer.ask));
  const [asked] = waiting.splice(at, 1);
  if ("error" in answer) asked?.reject(asError(answer.error));
  else asked?.resolve(answer);
}

function asError({ code, message, next }: AnswerError): PthError {
  const known = Object.hasOwn(errorCodes, code) ? code as ErrorCode : "INTERNAL";
  return new PthError(known, message, definedOnly({ next }));
}

/** Reason why a session disconnected without an end message. */
async function reasonOf(announcement: Announcement): Promise<string> {
  const name = nameOf(announcement);
  // A killed process loses its sockets a moment before it is gone.
  for (let tries = 10; tries > 0; tries--) {
    if (!await isOwnerAlive(announcement.owner)) return `${name} died`;
    await pause(betweenTriesMs);
  }
  return `${name} lives, but does not answer: it is busy, or was stopped`;
}
