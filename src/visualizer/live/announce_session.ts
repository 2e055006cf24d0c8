/** Announces a process of PTH that can be watched, and admits viewers (docs/visualizer.md). */
import { dirname } from "node:path";
import type { AnyActorRef } from "xstate";
import { errorMessage } from "../../core/errors.ts";
import { mkdir, removeIfExists } from "../../platform/files.ts";
import { log } from "../../platform/log.ts";
import { type FileListener, listenAtPath } from "../../platform/sockets.ts";
import { definedOnly } from "../../core/values.ts";
import type { Announcement } from "../../registry/announcement.ts";
import { openLiveSocketServer } from "./live_socket_server.ts";
import { listAnnouncements } from "./list_announcements.ts";
import {
  announcementPath,
  hasOwnFolder,
  liveFolder,
  openLiveFolder,
  recordingPath,
  socketPathOf,
  writeLive,
} from "../../registry/live_folder.ts";
import type { RecordingWriter } from "../recording/recording_writer.ts";
import { type RecordingTarget, shareRecording } from "./shared_recording.ts";
import { thisProcess } from "../../platform/proc.ts";

/** Description of a session that viewers are shown. */
export interface SessionAnnouncement {
  /** `run`, `mcp`, …: the command. */
  command: string;
  /** Name of the plugin under test, if known from the start. */
  target?: string;
  /** Matrix entry of this session, if it is part of a matrix. */
  entry?: string;
}

export interface AnnounceParts {
  recorder: RecordingTarget & { actor(id: string): AnyActorRef | undefined };
  /** Recording that is written in any case (`--record`). */
  recording?: RecordingWriter;
  redact(text: string): string;
  /** Default: `PTH_HOME/live`. */
  folder?: string;
}

export interface AnnouncementHandle {
  /** The announcement's id, once viewers may come; undefined where they cannot. Never rejects. */
  readonly id: Promise<string | undefined>;
  /** Says which session it is by now. */
  session(session: { target: string; sessionId: string }): void;
  /** Stops accepting viewers and informs those that are connected. Never rejects. */
  close(): Promise<void>;
}

/**
 * Announces the session without delaying it: nothing here is waited for. If announcing fails (a folder without
 * write permission, no Unix sockets), the reason is logged and nothing else changes.
 */
export function announceSession(announced: SessionAnnouncement, parts: AnnounceParts): AnnouncementHandle {
  const { redact, folder = liveFolder() } = parts;
  const id = crypto.randomUUID().slice(0, 8);
  const socket = socketPathOf(folder, id);
  const temporary = recordingPath(folder, id);
  const recording = shareRecording(parts.recorder, {
    temporary,
    ...definedOnly({ kept: parts.recording }),
  });
  const viewers = openLiveSocketServer({ recording, actor: (actor) => parts.recorder.actor(actor), redact });
  const startedAt = new Date().toISOString();
  /** Paths to remove with the announcement, including incomplete ones. */
  const own = [announcementPath(folder, id), ...(hasOwnFolder(socket, id) ? [dirname(socket)] : [])];
  let known: SessionAnnouncement & Pick<Announcement, "sessionId"> = announced;
  let listener: FileListener | undefined;
  let isOver = false;

  const write = async () => {
    const { command, target, ...rest } = known;
    const announcement: Announcement = {
      id,
      owner: await thisProcess(),
      startedAt,
      command,
      ...definedOnly({ target: target === undefined ? undefined : redact(target) }),
      ...rest,
      socket,
    };
    await writeLive(announcementPath(folder, id), `${JSON.stringify(announcement)}\n`);
  };
  const open = async () => {
    try {
      await openLiveFolder(folder);
      // Before the socket is made: what a killed process leaves is found by what it announced.
      await write();
      if (hasOwnFolder(socket, id)) await mkdir(dirname(socket), { mode: 0o700 });
      listener = await listenAtPath(socket, (viewer) => viewers.attend(viewer));
      return true;
    } catch (error) {
      log.warn(`pth viz cannot watch this session: ${errorMessage(error)}`);
      await removeAll(own);
      return false;
    }
  };
  /** Writes are made one after the other; failures are logged. */
  let last: Promise<boolean> = open();
  const inTurn = (work: () => Promise<unknown>) => {
    last = last.then(async (isOpen) => {
      if (!isOpen) return false;
      try {
        await work();
      } catch (error) {
        log.warn(`Cannot update the announcement for pth viz: ${errorMessage(error)}`);
      }
      return true;
    });
    return last;
  };

  return {
    id: last.then((isOpen) => isOpen ? id : undefined),
    session({ target, sessionId }) {
      known = { ...known, target, sessionId };
      if (!isOver) void inTurn(write);
    },
    async close() {
      isOver = true;
      const isOpen = await last;
      await recording.end().catch((error) => log.warn("Cannot end the recording for viewers", { error }));
      const readers = await viewers.close();
      await listener?.close().catch((error) => log.debug("cannot close the socket for viewers", { error }));
      await removeAll([...own, ...(readers === 0 ? [temporary] : [])]);
      // Viewers that were killed leave their notes.
      if (isOpen) await listAnnouncements(folder).catch((error) => log.debug("cannot sweep", { error }));
    },
  };
}

async function removeAll(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    try {
      await removeIfExists(path);
    } catch (error) {
      log.debug("cannot remove an announcement", { path, error });
    }
  }
}
