/** A file that is appended line by line, without waiting for the disk at each line. */
import { createWriteStream } from "node:fs";
import { PthError } from "../core/errors.ts";
import { log } from "./log.ts";

export interface LineFile {
  write(line: string): void;
  close(): Promise<void>;
}

/**
 * Opens a file, emptied, for appending lines; a disk that fills up later is reported in the log, once.
 * @throws {PthError} `INVALID_INPUT` when it cannot be written
 */
export async function appendLines(path: string): Promise<LineFile> {
  const stream = createWriteStream(path);
  await new Promise<void>((resolve, reject) => {
    stream.once("open", () => resolve());
    stream.once(
      "error",
      (cause) =>
        reject(
          new PthError("INVALID_INPUT", `Cannot write ${path}: ${cause.message}`, {
            next: ["Name a file in a folder that is there and can be written"],
          }, { cause }),
        ),
    );
  });
  let failed = false;
  stream.on("error", (error) => {
    if (!failed) log.error(`Cannot continue writing ${path}: ${error.message}`);
    failed = true;
  });
  return {
    write: (line) => {
      if (!failed) stream.write(`${line}\n`);
    },
    close: () => failed ? Promise.resolve() : new Promise((resolve) => stream.end(() => resolve())),
  };
}
