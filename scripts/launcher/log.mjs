/** The log of an installation: a file, and its end for those who are told of a failure. */
import { openSync, writeSync } from "node:fs";
import { logFile } from "./place.mjs";

const longestTail = 4000;

/** True for what a full disk answers. */
export const isFull = ({ code }) => code === "ENOSPC" || code === "EDQUOT";

/** Replaces the log of the installation before. */
export function openLog() {
  const file = openSync(logFile, "w");
  let end = "";
  const write = (text) => {
    end = (end + text).slice(-longestTail);
    try {
      writeSync(file, text);
    } catch (error) {
      // What fails for it says so, and the end of the log is told from memory.
      if (!isFull(error)) throw error;
    }
  };
  return {
    write,
    line: (text) => write(`${text}\n`),
    /** The last lines. */
    tail: (lines = 25) => end.trimEnd().split("\n").slice(-lines).join("\n"),
  };
}
