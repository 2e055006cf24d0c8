/**
 * The project's folder on the host, in place: commands run as the author's own shell would run them, with its variables.
 * Each carries a mark in its environment, by which what leaves its parent is found.
 */
import { randomUUID } from "node:crypto";
import { dirname, resolve } from "node:path";
import { errorMessage, PthError } from "../core/errors.ts";
import type { Redactor } from "../core/redact.ts";
import { mkdir, removeIfExists, writeTextFile } from "../platform/files.ts";
import { allEnv } from "../platform/host.ts";
import { endTagged } from "../platform/proc.ts";
import { openRanges } from "../platform/ranged_file.ts";
import { hostFolder } from "../plugin/readable_folder.ts";
import { execLocally, startLive } from "../runtimes/shared/exec_locally.ts";
import { labelVariables, testsMark } from "../runtimes/shared/label_variables.ts";
import type { PlaceOptions, ProjectPlace } from "./project_place.ts";
import { makeRunFolder } from "./own_test_folder.ts";

/** In ms. */
const followEvery = 50;
const pieceBytes = 256 * 1024;

export function hostPlace(root: string, redact: Redactor): ProjectPlace {
  const id = randomUUID();
  // Of its own name, so that tests which run tests carry both marks.
  const mark = `${testsMark}${id.replaceAll("-", "_")}`;
  const labels = { ...labelVariables({ environmentId: id, sessionId: id }, "host"), [mark]: "1" };
  const made: string[] = [];
  const local = (command: readonly string[], { cwd = ".", env = {} }: PlaceOptions = {}) => ({
    words: command,
    env: { ...allEnv(), ...env, ...labels },
    cwd: resolve(root, cwd),
  });
  const endAll = () => endTagged(mark, "1");
  return {
    root,
    folder: hostFolder(root),
    kind: "this machine, in place",
    isCopy: false,
    install: (program) => `Install ${program}, so that it is on the PATH`,
    async makeScratch() {
      const path = await makeRunFolder();
      made.push(path);
      return path;
    },
    async write(path, text) {
      await mkdir(dirname(path), { recursive: true });
      await writeTextFile(path, text);
    },
    exec: async (command, { cwd, env, ...options } = {}) =>
      await execLocally(local(command, { ...(cwd && { cwd }), ...(env && { env }) }), options)
        .catch((error) => Promise.reject(cannotStart(command, error))),
    async start(command, options) {
      const child = await startLive(local(command, options)).catch((error) =>
        Promise.reject(cannotStart(command, error))
      );
      child.stdin.end();
      const { pid, stdout, stderr, exited } = child;
      return { pid, stdout, stderr, exited };
    },
    follow: followFile,
    endAll,
    async close() {
      await endAll();
      for (const path of made.splice(0)) await removeIfExists(path);
    },
    redact,
  };
}

/** The system's words for a program that cannot be started say little. */
function cannotStart(command: readonly string[], error: unknown): unknown {
  const message = errorMessage(error);
  if (!(error instanceof PthError) || error.code !== "EXEC_FAILED") return error;
  const [why, next] = /ENOENT/.test(message)
    ? ["there is no such program", "Build it first, or correct its path"]
    : /EACCES/.test(message)
    ? ["it is not executable", `Make it executable: chmod +x ${command[0]}`]
    : /ENOEXEC|error -8|Exec format/.test(message)
    ? [
      "it is no program that this machine can run",
      "Build it for this machine, or run the tests where it was built for",
    ]
    : [message, "Run it by hand to see why"];
  return new PthError("EXEC_FAILED", `Cannot start ${command[0]}: ${why}`, {
    tried: [command.join(" ")],
    next: [next],
  }, { cause: error });
}

async function followFile(
  path: string,
  from: number,
  onBytes: (bytes: Uint8Array) => void,
): Promise<{ finish(): Promise<void> }> {
  const file = await openRanges(path);
  const buffer = new Uint8Array(pieceBytes);
  let at = from;
  /** One piece a time: other work goes on between two. */
  const readPiece = (): boolean => {
    const bytes = file.read(buffer, at);
    if (bytes === 0) return false;
    at += bytes;
    onBytes(buffer.slice(0, bytes));
    return bytes === buffer.length;
  };
  const timer = setInterval(() => {
    try {
      readPiece();
    } catch {
      clearInterval(timer); // `finish` meets the same error, where it is heard
    }
  }, followEvery);
  let isFinished = false;
  return {
    async finish() {
      clearInterval(timer);
      if (isFinished) return;
      isFinished = true;
      try {
        // Nothing that still runs may keep it going for ever.
        const end = await file.size();
        while (at < end && readPiece()) await Promise.resolve();
      } finally {
        await file.close();
      }
    },
  };
}
