/** The first line of a recording: whether this is one, and one that can be read. */
import { PthError } from "../../core/errors.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import { recordingFormat, type RecordingHeader } from "../recording/format.ts";

/** In bytes: a first line that is longer is no header. */
export const longestHeader = 64 * 1024;

const newest = Number(recordingFormat.split("/")[1]);
const makeOne = "Make one with: pth run <target> --record FILE";

/** What a file was replaced by, too, must begin with this. @throws {PthError} `INVALID_INPUT`, `UNSUPPORTED` for what a newer PTH wrote */
export function readHeader(path: string, line: string): RecordingHeader {
  const header = jsonIn(line.replace(/^\uFEFF/, ""));
  const format = isObject(header) ? header["format"] : undefined;
  if (!isObject(header) || typeof format !== "string") throw notOne(path, line);
  if (format.startsWith("pth-mcp-recording/")) {
    throw refused(path, "it holds what an MCP client and a server said, not what happened in a session", [
      `Read it with: pth replay <target> --recording ${path}`,
      makeOne,
    ]);
  }
  const version = Number(/^pth-recording\/(\d+)$/.exec(format)?.[1] ?? "0");
  if (version > newest) {
    throw new PthError(
      "UNSUPPORTED",
      `Cannot open ${path}: its format is ${format}, and this version of PTH reads up to ${recordingFormat}`,
      { format, next: ["Open it with the version of PTH that wrote it, or a later one"] },
    );
  }
  if (version === 0) throw refused(path, `its format is ${format}, not ${recordingFormat}`, [makeOne]);
  const { startedAt, pth } = header;
  return {
    ...header,
    format,
    startedAt: typeof startedAt === "string" ? startedAt : new Date(0).toISOString(),
    // Format 1 does not say.
    pth: typeof pth === "string" ? pth : "unknown",
  };
}

function notOne(path: string, line: string): PthError {
  if (line === "") return refused(path, "it is empty", [makeOne]);
  if (line.startsWith('{"format":"pth-recording/')) {
    return refused(path, "it is cut off in its first line: nothing was recorded", [makeOne]);
  }
  return refused(path, "it is no recording of a session, whose first line would name its format", [makeOne]);
}

const refused = (path: string, why: string, next: string[]): PthError =>
  new PthError("INVALID_INPUT", `Cannot open ${path}: ${why}`, { next });

/** What could not be opened, in words. */
export function cannotOpen(path: string, cause: unknown): PthError {
  const { code, message } = cause as { code?: string; message: string };
  const why = { ENOENT: "there is no such file", ENOTDIR: "there is no such file" }[code ?? ""] ??
    { EISDIR: "it is a folder", EINVAL: "it is no plain file", EACCES: "reading it is not allowed" }[
      code ?? ""
    ] ?? message;
  return new PthError("INVALID_INPUT", `Cannot open ${path}: ${why}`, {
    next: ["Name the file of a recording", makeOne],
  }, { cause });
}
