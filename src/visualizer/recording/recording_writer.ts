/** A recording that is being written to a file. */
import { errorMessage, type PthError } from "../../core/errors.ts";
import { type BatchedFile, openBatchedFile } from "../../platform/batched_file.ts";
import { log } from "../../platform/log.ts";
import { removeUnfinished, rewriteLines } from "../../platform/rewrite_lines.ts";
import type { EncodedLine } from "./line_of.ts";
import { nextStepsFor } from "../../core/next_step.ts";
import { Buffer } from "node:buffer";

export interface RecordingWriter {
  readonly path: string;
  /** Resolves when nothing is written any more: it was closed, or it could not go on. */
  readonly ended: Promise<{ error?: PthError }>;
  /** @param error why, where it could not go on */
  close(error?: PthError): Promise<void>;
}

export interface OpenRecordingWriter extends RecordingWriter {
  write(line: EncodedLine): void;
  /** Writes buffered lines to the file. */
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

/** Keeps a recording small: old contexts are dropped, those of a long time ago more than those of late. */
interface Compaction {
  /** To be called with each line that is written. */
  wrote(line: EncodedLine): void;
  /** Gives up what is under way. */
  stop(): Promise<void>;
}

/**
 * Removes old contexts from the file. When contexts take more than `limit` bytes, the file is rewritten with about
 * half of them. At least a quarter of the file must be new since the last time, so that the total cost stays
 * proportional to the length of the recording. The newest context of each living actor is kept.
 */
function createCompaction(file: BatchedFile, limit: number): Compaction {
  const newest = new Map<string, number>();
  let lines = 0;
  let held = 0;
  let next = limit;
  let passes = 0;
  let stopped = false;
  let underway: Promise<void> | undefined;

  const thin = async () => {
    const keep = new Set(newest.values());
    const before = held;
    const pass = passes++;
    const halvings = Math.floor(Math.log2(2 * held / limit));
    let kept = 0;
    const change = (line: Buffer, number: number) => {
      if (!holdsContext(line)) return undefined;
      if (!keep.has(number) && !stays(number, pass, halvings)) return withoutContext(line);
      kept += line.length + 1;
      return undefined;
    };
    try {
      if (!await rewriteLines(file, { lines, change, stopped: () => stopped })) return;
      held += kept - before;
      next = Math.max(limit, held + file.size / 4);
    } catch (error) {
      log.warn(`Cannot compact ${file.path}: ${errorMessage(error)}`, {
        next: ["Recording continues, and the file may become large"],
      });
      next = held * 2;
    }
  };
  return {
    wrote({ text, actor, context, last }) {
      if (context) held += Buffer.byteLength(text);
      if (context && actor !== undefined) newest.set(actor, lines);
      if (last && actor !== undefined) newest.delete(actor);
      lines++;
      if (held <= next || stopped || underway !== undefined || !file.regular) return;
      underway = thin().finally(() => underway = undefined);
    },
    async stop() {
      stopped = true;
      await underway;
    },
  };
}

/** Every second one, or of more halvings every fourth and so on; each time others: bits of a number that is mixed well. */
const stays = (line: number, pass: number, halvings: number): boolean =>
  Math.imul(Math.imul(line, 0x9e3779b1) ^ Math.imul(pass + 1, 0x85ebca6b), 0xc2b2ae35) >>> (32 - halvings) ===
    0;

const holdsContext = (line: Buffer): boolean => {
  const type = line.indexOf(snapshotType);
  // The type follows the time, before any text of a plugin.
  return type !== -1 && type < 40 && line.includes(contextKey);
};

const snapshotType = ',"type":"snapshot",';

const contextKey = ',"context":';

function withoutContext(line: Buffer): string | undefined {
  const { context, ...rest } = JSON.parse(line.toString()) as Record<string, unknown>;
  return context === undefined ? undefined : JSON.stringify({ ...rest, thinned: true });
}
