/** A recording that is being written to a file. */
import type { PthError } from "../../errors.ts";
import { type BatchedFile, openBatchedFile } from "../../platform/batched_file.ts";
import { log } from "../../platform/log.ts";
import type { Line } from "./line_of.ts";

export interface Writing {
  readonly path: string;
  /** Resolves when nothing is written any more: it was closed, or it could not go on. */
  readonly ended: Promise<{ error?: PthError }>;
  close(): Promise<void>;
}

export interface OpenWriting extends Writing {
  write(line: Line): void;
}

/** @throws {PthError} `INVALID_INPUT` when the file cannot be written */
export async function openWriting(path: string, { mode }: { mode?: number } = {}): Promise<OpenWriting> {
  let end: (how: { error?: PthError }) => void;
  const ended = new Promise<{ error?: PthError }>((resolve) => end = resolve);
  const fail = (error: PthError) => {
    log.error(error.message, { next: error.context.next });
    end({ error });
  };
  const file: BatchedFile = await openBatchedFile(path, fail, mode === undefined ? {} : { mode });
  return {
    path,
    ended,
    write: ({ text }) => file.write(text),
    close() {
      file.close();
      end({});
      return Promise.resolve();
    },
  };
}
