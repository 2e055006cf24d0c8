/**
 * Limits of what may come out of an environment: how much, how many, of which kind. Whatever is inside may have been made
 * to harm.
 */
import { errorMessage, PthError } from "../../core/errors.ts";
import { isNoSpace } from "../../platform/files.ts";
import type { NextStep } from "../../core/next_step.ts";
import type { CopyLimits } from "../../../machines/model/environment_operations.ts";

export interface CopyOrder extends CopyLimits {
  /** For errors: "Cannot copy a to b". */
  action: string;
}

const megabyte = 1024 * 1024;
/** Folders within each other. */
const deepest = 128;
/** Milliseconds without a byte: what is to be read may be a fifo by now. */
export const stalled = 60_000;

/** Counts what comes. Each method throws `COPY_FAILED`, which names the limit and what lifts it. */
export function copyMeter({ action, maxBytes = 1024 * megabyte, maxEntries = 100_000 }: CopyOrder) {
  let bytes = 0;
  let entries = 0;
  return {
    addBytes(count: number): void {
      bytes += count;
      if (bytes <= maxBytes && Number.isSafeInteger(bytes) && count >= 0) return;
      const limit = maxBytes < megabyte ? `${maxBytes} bytes` : `${Math.round(maxBytes / megabyte)} MB`;
      throw copyFailed(action, `it is larger than ${limit}`, [
        `Copy a part of it, or allow more: maxMB (now ${Math.ceil(maxBytes / megabyte)})`,
      ]);
    },
    addEntry(depth: number): void {
      entries++;
      if (depth > deepest) {
        throw copyFailed(action, `its folders are nested deeper than ${deepest}`, [
          "Copy a folder within it",
        ]);
      }
      if (entries <= maxEntries) return;
      throw copyFailed(action, `it holds more than ${maxEntries} files and folders`, [
        `Copy a part of it, or allow more: maxFiles (now ${maxEntries})`,
      ]);
    },
  };
}

export const copyFailed = (
  action: string,
  reason: string,
  next: NextStep[] = [],
  cause?: unknown,
): PthError =>
  new PthError("COPY_FAILED", `${action}: ${reason}`, next.length > 0 ? { next } : {}, { cause });

/** @returns a `COPY_FAILED` or `DISK_FULL` of whatever went wrong on this side */
export function copyError(action: string, error: unknown): PthError {
  if (error instanceof PthError && error.code !== "PATH_REFUSED") return error;
  if (isNoSpace(error)) {
    return new PthError("DISK_FULL", `${action}: the disk of this machine is full`, {
      next: ["Free space, or copy to another disk"],
    }, { cause: error });
  }
  const reason = error instanceof PthError ? String(error.context["reason"]) : errorMessage(error);
  return copyFailed(action, reason, [], error);
}

/** Words for what is neither a file nor a folder. */
export const notCopied = (action: string, path: string, kind: string): PthError =>
  copyFailed(action, `${path} is a ${kind}; only files, folders and links can be copied`, [
    "Copy the other files by their names",
  ]);

/**
 * Waits for work that takes no signal: when it fires, `stop` takes away what the work stands on, which then fails by itself.
 * @throws the signal's reason, where it has fired; what the work fails with
 */
export async function stoppable<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  stop: () => void,
): Promise<T> {
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    return await work;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}
