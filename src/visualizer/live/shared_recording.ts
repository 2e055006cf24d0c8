/** The recording that all viewers of a session read: begun for the first of them, and removed after the last. */
import { PthError } from "../../errors.ts";
import { isAbsent, removeIfExists, stat } from "../../platform/files.ts";

/** What a session needs of its recorder to be watched. */
export interface RecordsTo {
  /** Writes what is remembered, then what comes. @throws {PthError} `INVALID_INPUT` when the file cannot be written */
  writeTo(path: string, options: { mode: number }): Promise<{ close(): Promise<unknown> }>;
}

export interface RecordingFile {
  file: string;
  /** A file of the user's, not to be removed. */
  kept: boolean;
}

export interface SharedRecording {
  /** One more reads. @throws {PthError} `NOT_NOW` once the session is over */
  join(): Promise<RecordingFile>;
  /** One less does. @param recording what it was given */
  leave(recording: RecordingFile): Promise<void>;
  /** The session is over: what is read now is left to its readers. */
  end(): Promise<void>;
}

/** @param keptFile what is recorded anyhow, which then serves the viewers, too; a pipe cannot */
export function shareRecording(
  recorder: RecordsTo,
  { temporary, keptFile }: { temporary: string; keptFile?: string },
): SharedRecording {
  let readers = 0;
  let isOver = false;
  let writing: { close(): Promise<unknown> } | undefined;
  // One after the other: who comes while the file is being removed gets a new one.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => undefined); // told to whoever asked for this turn
    return turn;
  };
  const stop = async () => {
    await writing?.close();
    writing = undefined;
  };
  return {
    join: () =>
      inTurn(async () => {
        if (isOver) throw new PthError("NOT_NOW", "Cannot watch: the session has just ended");
        if (keptFile !== undefined && await isFile(keptFile)) return { file: keptFile, kept: true };
        writing ??= await recorder.writeTo(temporary, { mode: 0o600 });
        readers++;
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

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}
