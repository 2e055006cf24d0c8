/** The session's side of its socket: answers what viewers ask, and is never held up by one of them. */
import type { Duplex } from "node:stream";
import type { AnyActorRef } from "xstate";
import { asPthError, PthError } from "../../core/errors.ts";
import { createLineSplitter } from "../../platform/line_splitter.ts";
import { log } from "../../platform/log.ts";
import { withDeadline } from "../../core/waiting.ts";
import { definedOnly, isObject, jsonIn } from "../../core/values.ts";
import type { AnswerError, ViewerMessage } from "../../registry/announcement.ts";
import { sendEvent } from "./send_event.ts";
import type { RecordingFile, SharedRecording } from "./shared_recording.ts";
import { nextStepsFor } from "../../core/next_step.ts";

/** In bytes: of a question, and of answers that a viewer has not read. */
const longestLine = 1024 * 1024;
/** Milliseconds that the end of a session waits for viewers to receive the end message. */
const farewellMs = 300;

export interface LiveSocketServerOptions {
  recording: SharedRecording;
  /** An actor that lives, as it is called in the recording. */
  actor(id: string): AnyActorRef | undefined;
  /** Takes secrets out of what is answered. */
  redact(text: string): string;
}

export interface LiveSocketServer {
  /** Takes a viewer in. */
  attend(viewer: Duplex): void;
  /** Informs viewers that the session has ended. Resolves to their number when all have received it or time is up. */
  close(): Promise<number>;
}

export function openLiveSocketServer(parts: LiveSocketServerOptions): LiveSocketServer {
  /** File that each viewer reads; undefined until the viewer has been sent its path. */
  const watching = new Map<Duplex, RecordingFile | undefined>();
  const leave = (file: RecordingFile) => {
    parts.recording.leave(file).catch((error) => log.warn("Cannot stop recording for viewers", { error }));
  };
  const left = (viewer: Duplex) => {
    const file = watching.get(viewer);
    watching.delete(viewer);
    if (file) leave(file);
  };
  return {
    attend(viewer) {
      const answer = (line: ViewerMessage) => tell(viewer, parts.redact(JSON.stringify(line)));
      const lines = createLineSplitter({
        maxBytes: longestLine,
        onLine: (line) => {
          const { ask, question } = read(line);
          if (question instanceof PthError) answer({ ask, error: asAnswer(question) });
          else if (question.ask === "send") answer(sent(parts, question));
          else void watch(viewer, answer);
        },
        onOverlong: () => {
          answer({
            ask: "?",
            error: { code: "INVALID_INPUT", message: "Cannot read question: longer than 1 MiB" },
          });
          viewer.end();
        },
      });
      viewer.on("data", (chunk: Uint8Array) => lines.push(chunk));
      viewer.on("error", () => viewer.destroy());
      viewer.once("close", () => left(viewer));
    },
    async close() {
      const readers = [...watching.values()].filter((file) => file !== undefined);
      const viewers = [...watching.keys()];
      watching.clear();
      const told = viewers.map((viewer) => {
        tell(viewer, JSON.stringify({ ask: "watch", ended: true } satisfies ViewerMessage));
        return new Promise<void>((resolve) => viewer.end(() => resolve()));
      });
      await withDeadline(Promise.all(told), farewellMs);
      return readers.length;
    },
  };

  async function watch(viewer: Duplex, answer: (line: ViewerMessage) => void): Promise<void> {
    if (watching.has(viewer)) {
      const message = "Cannot watch: this connection watches already";
      return answer({ ask: "watch", error: { code: "INVALID_INPUT", message } });
    }
    watching.set(viewer, undefined);
    try {
      const file = await parts.recording.join(({ message }) => {
        if (!watching.has(viewer)) return;
        answer({ ask: "watch", ended: true, reason: message });
        viewer.end();
      });
      if (!watching.has(viewer)) return leave(file);
      watching.set(viewer, file);
      answer({ ask: "watch", ...file });
    } catch (error) {
      watching.delete(viewer);
      answer({ ask: "watch", error: asAnswer(asPthError(error, "Cannot record")) });
    }
  }
}

type Question = { ask: "watch" } | { ask: "send"; actor: string; event: unknown };

function read(line: string): { ask: "watch" | "send" | "?"; question: Question | PthError } {
  const asked = jsonIn(line);
  if (!isObject(asked)) {
    return {
      ask: "?",
      question: new PthError("INVALID_INPUT", "Cannot read question: expected a JSON object"),
    };
  }
  if (asked["ask"] === "watch") return { ask: "watch", question: { ask: "watch" } };
  if (asked["ask"] !== "send") {
    const question = new PthError(
      "INVALID_INPUT",
      "Cannot answer question: this version of PTH knows only watch and send",
    );
    return { ask: "?", question };
  }
  const { actor, event } = asked;
  return typeof actor === "string"
    ? { ask: "send", question: { ask: "send", actor, event } }
    : { ask: "send", question: new PthError("INVALID_INPUT", "Cannot send event: no actor is named") };
}

function sent(
  parts: LiveSocketServerOptions,
  { actor, event }: { actor: string; event: unknown },
): ViewerMessage {
  try {
    sendEvent(parts.actor, actor, event);
    return { ask: "send", sent: true };
  } catch (error) {
    return { ask: "send", error: asAnswer(asPthError(error, "Cannot send event")) };
  }
}

const asAnswer = ({ code, message, context: { next } }: PthError): AnswerError =>
  definedOnly({ code, message, next: next && nextStepsFor("terminal", next) });

/** A viewer that asks and does not read is dropped: its answers would pile up here. */
function tell(viewer: Duplex, line: string): void {
  if (viewer.destroyed || viewer.writableEnded) return;
  if (viewer.writableLength > longestLine) viewer.destroy();
  else viewer.write(`${line}\n`);
}
