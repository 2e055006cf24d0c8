/** A recording that is being written to a file. */
import type { PthError } from "../../core/errors.ts";
import { openBatchedFile } from "../../platform/batched_file.ts";
import { log } from "../../platform/log.ts";
import { removeUnfinished } from "../../platform/rewrite_lines.ts";
import type { EncodedLine } from "./line_of.ts";
import { createCompaction } from "./compaction.ts";
import { nextStepsFor } from "../../core/next_step.ts";

export interface RecordingWriter {
  readonly path: string;
  /** Resolves when nothing is written any more: it was closed, or it could not go on. */
  readonly ended: Promise<{ error?: PthError }>;
  /** @param error why, where it could not go on */
  close(error?: PthError): Promise<void>;
}

export interface OpenRecordingWriter extends RecordingWriter {
  write(line: EncodedLine): void;
  /** What was handed in is in the file. */
  flush(): void;
}

/** Contexts may take so many bytes before old ones are dropped. */
const contextLimit = 64 * 1024 * 1024;

export interface RecordingWriterOptions {
  /** Permissions of the file where it is made. */
  mode?: number;
  /** Bytes that contexts may take before old ones are dropped. */
  contexts?: number;
}

/** @throws {PthError} `INVALID_INPUT` when the file cannot be written */
export async function openRecordingWriter(
  path: string,
  { mode, contexts = contextLimit }: RecordingWriterOptions = {},
): Promise<OpenRecordingWriter> {
  let end: (how: { error?: PthError }) => void;
  const ended = new Promise<{ error?: PthError }>((resolve) => end = resolve);
  const fail = (error: PthError) => {
    log.error(error.message, { next: nextStepsFor("terminal", error.context.next) });
    void thinning.stop();
    end({ error });
  };
  const file = await openBatchedFile(path, fail, mode === undefined ? {} : { mode });
  await removeUnfinished(file);
  const thinning = createCompaction(file, contexts);
  return {
    path,
    ended,
    write(line) {
      file.write(line.text);
      thinning.wrote(line);
    },
    flush: () => file.flush(),
    async close(error) {
      await thinning.stop();
      file.close();
      end(error === undefined ? {} : { error });
    },
  };
}
