/** The recording that all viewers of a session read: begun for the first of them, and removed after the last. */
import { PthError } from "../../core/errors.ts";
import type { RecordingWriter } from "../recording/recording_writer.ts";
import { isAbsent, removeIfExists, stat } from "../../platform/files.ts";

/** The part of the recorder that recording for viewers needs. */
export interface RecordingTarget {
  /** Writes what is remembered, then what comes. @throws {PthError} `INVALID_INPUT` when the file cannot be written */
  writeTo(path: string, options: { mode: number }): Promise<RecordingWriter>;
}

export interface RecordingFile {
  file: string;
  /** A file of the user's, not to be removed. */
  kept: boolean;
}

export interface SharedRecording {
  /**
   * Adds a reader; `onFailure` is called if the file cannot be written any more.
   * @throws {PthError} `NOT_NOW` once the session is over
   */
  join(onFailure: (error: PthError) => void): Promise<RecordingFile>;
  /** One less does. @param recording what it was given */
  leave(recording: RecordingFile): Promise<void>;
  /** The session is over: what is read now is left to its readers. */
  end(): Promise<void>;
}

/** @param kept what is recorded anyhow, which then serves the viewers, too; a pipe cannot */
export function shareRecording(
  recorder: RecordingTarget,
  { temporary, kept }: { temporary: string; kept?: RecordingWriter },
): SharedRecording {
  let readers = 0;
  let isOver = false;
  let writing: RecordingWriter | undefined;
  let keptFailed = false;
  void kept?.ended.then(({ error }) => keptFailed = error !== undefined);
  // One after the other: a reader that joins while the file is being removed gets a new one.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => undefined); // its caller gets the error
    return turn;
  };
  const stop = async () => {
    await writing?.close();
    writing = undefined;
  };
  return {
    join: (onFailure) =>
      inTurn(async () => {
        if (isOver) throw new PthError("NOT_NOW", "Cannot watch: the session has just ended");
        if (kept !== undefined && !keptFailed && await isFile(kept.path)) {
          tellFailure(kept, onFailure);
          return { file: kept.path, kept: true };
        }
        writing ??= await recorder.writeTo(temporary, { mode: 0o600 });
        readers++;
        tellFailure(writing, onFailure);
        return { file: temporary, kept: false };
      }),
    leave: ({ kept }) =>
      inTurn(async () => {
        if (kept || --readers > 0) return;
        await stop();
        await removeIfExists(temporary);
      }),
    end: () => {
      isOver = true;
      return inTurn(stop);
    },
  };
}

const tellFailure = ({ ended }: RecordingWriter, onFailure: (error: PthError) => void): void =>
  void ended.then(({ error }) => error && onFailure(error));

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}
