/** Listeners to the actors: a recording, viewers, Stately's inspector. Without any of them nothing is inspected. */
import type { InspectionEvent } from "xstate";
import { resolve } from "node:path";
import { readEnv } from "../platform/host.ts";
import { selfVersion } from "../platform/self_version.ts";
import { definedOnly } from "../core/values.ts";
import { announceSession, type SessionAnnouncement } from "../visualizer/live/announce_session.ts";
import { createRecorder } from "../visualizer/recording/recorder.ts";
import type { EventBus } from "./event_bus.ts";

export interface ListenerOptions {
  /** Records there what every actor does, as JSON lines (docs/recording.md). */
  recordFile?: string;
  /** Lets others watch: which command this is, and what it has under test, as its user named it. `PTH_VIZ=0` forbids it. */
  announce?: SessionAnnouncement;
  /** Address of a WebSocket of this machine that takes what Stately's inspector shows; else `PTH_STATELY_INSPECTOR`. */
  stately?: string;
}

export interface Listeners {
  /** For XState; absent where nobody listens. */
  inspect?: (event: InspectionEvent) => void;
  /** The id under which viewers find it; undefined where they cannot. */
  announced: Promise<string | undefined>;
  /** Delivers what is pending, then ends all listeners. */
  close(): Promise<void>;
}

/** Number of events and states that a viewer that connects later receives: the last hundreds of calls. */
const remembered = 2000;

/**
 * @param redact takes out every secret that is, or was, one
 * @throws {PthError} `INVALID_INPUT` when the recording cannot be written, or the inspector is not of this machine
 */
export async function openListeners(
  { recordFile, stately = readEnv("PTH_STATELY_INSPECTOR") || undefined, ...options }: ListenerOptions,
  redact: (text: string) => string,
  bus: Pick<EventBus, "on">,
): Promise<Listeners> {
  const pth = await selfVersion();
  const announced = readEnv("PTH_VIZ") === "0" ? undefined : options.announce;
  const about = definedOnly({ pth, command: options.announce?.command, target: options.announce?.target });
  const recorder = recordFile === undefined && announced === undefined ? undefined : createRecorder({
    redact,
    remember: announced === undefined ? 0 : remembered,
    about: () => about,
  });
  // Rarely asked for, and heavy. A wrong address is told before the recording of another time is overwritten.
  const feed = stately === undefined
    ? undefined
    : await (await import("../visualizer/live/stately.ts")).feedStately(stately, redact);
  const recording = recordFile === undefined
    ? undefined
    : await recorder?.writeTo(recordFile).catch(async (error: unknown) => {
      await feed?.close();
      throw error;
    });
  const announcing = recorder && announced && announceSession(announced, {
    recorder,
    redact,
    ...definedOnly({ recording: recording && { ...recording, path: resolve(recording.path) } }),
  });
  bus.on((fact) => {
    if (fact.type !== "harness.activated") return;
    const { sessionId, source } = fact.session;
    about.target = source.source;
    // A viewer is elsewhere: to it `.` says nothing.
    announcing?.session({ sessionId, target: source.folder ?? options.announce?.target ?? source.source });
  });
  const inspects = [recorder, feed].filter((listener) => listener !== undefined);
  return {
    ...(inspects.length === 0 ? {} : {
      inspect: (event) => {
        for (const listener of inspects) listener.inspect(event);
      },
    }),
    announced: announcing?.id ?? Promise.resolve(undefined),
    async close() {
      // Viewers are told that it is over once all of it is in the file.
      await recorder?.close();
      await announcing?.close();
      await feed?.close();
    },
  };
}
