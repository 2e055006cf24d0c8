/** The three standard streams as the faces of PTH use them: text out, width, and a question that shows no answer. */
import process from "node:process";
import { setImmediate } from "node:timers";
import { isDeno } from "./deno.ts";

/** Destination of text for people or pipes. */
export interface TextOutput {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Colours are wanted: a terminal, and neither `NO_COLOR` nor `TERM=dumb`. */
  readonly colour: boolean;
  /** Width in columns; 80 where there is no terminal. */
  columns(): number;
}

type Name = "stdout" | "stderr";

/** The first error of each stream: a full disk, a device that fails. */
const failures = new Map<Name, Error>();

/** Tells what could not be written to stdout or stderr, if anything. A reader that went away is none. */
export const outputFailures = (): ReadonlyMap<Name, Error> => failures;

/** Node tells of it by an event, Deno throws. What is written after it is lost; `outputFailures` tells. */
export function outputFailed(name: Name, error: Error & { code?: string }): void {
  if (error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED") return;
  if (!failures.has(name)) failures.set(name, error);
}

function textOutput(name: Name): TextOutput {
  const stream = process[name];
  stream.on("error", (error) => outputFailed(name, error));
  const isTerminal = stream.isTTY === true && process.env.TERM !== "dumb";
  return {
    write(text) {
      if (failures.has(name)) return;
      try {
        stream.write(text);
      } catch (error) {
        outputFailed(name, error as Error);
      }
    },
    isTerminal,
    colour: isTerminal && !process.env.NO_COLOR,
    columns: () => (isTerminal && stream.columns > 0 ? stream.columns : 80),
  };
}

let streams: { stdout: TextOutput; stderr: TextOutput } | undefined;

/** stdout and stderr. A reader that went away (`pth … | head`) is no error: what is written then is lost. */
export function standardOutputs(): { stdout: TextOutput; stderr: TextOutput } {
  return streams ??= { stdout: textOutput("stdout"), stderr: textOutput("stderr") };
}

/** Resolves when everything written has left this process. */
export async function flushOutputs(): Promise<void> {
  // Node tells in a later turn of what it could not write.
  await new Promise<void>((resolve) => setImmediate(resolve));
  for (const name of ["stdout", "stderr"] as const) {
    const stream = process[name];
    if (failures.has(name) || stream.destroyed || stream.writableEnded) continue;
    // A full device refuses even to take nothing.
    if (!isDeno && stream.writableLength === 0) continue;
    await new Promise<void>((resolve) => {
      stream.once("error", () => resolve());
      try {
        stream.write("", () => resolve());
      } catch (error) {
        outputFailed(name, error as Error);
        resolve();
      }
    });
  }
}

/** Asks on stderr and reads one line from the terminal without showing it; undefined when the user gives up (Ctrl-C, Ctrl-D). */
export async function askHidden(question: string): Promise<string | undefined> {
  const { stdin, stderr } = process;
  stderr.write(question);
  stdin.setRawMode(true);
  stdin.resume();
  try {
    return await readRawLine(stdin);
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write("\n");
  }
}

function readRawLine(stdin: NodeJS.ReadStream): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let line = "";
  return new Promise((resolve) => {
    const finish = (answer: string | undefined) => {
      stdin.off("data", read);
      resolve(answer);
    };
    const read = (chunk: Uint8Array | string) => {
      const text = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
      for (const key of text) {
        if (key === "\r" || key === "\n") return finish(line);
        if (key === "\u0003" || key === "\u0004") return finish(undefined);
        if (key === "\u007f" || key === "\b") line = [...line].slice(0, -1).join("");
        else line += key;
      }
    };
    stdin.on("data", read);
  });
}

/** Tells each key as it is pressed, until the answer is called. Ctrl-C interrupts as ever. */
export function listenForKeys(listener: (key: string) => void): () => void {
  const { stdin } = process;
  const read = (chunk: Uint8Array | string) => {
    for (const key of String(chunk)) {
      // A terminal that hands over single keys makes no signal of this one.
      if (key === "\u0003") process.kill(process.pid, "SIGINT");
      else listener(key);
    }
  };
  stdin.setEncoding("utf8");
  stdin.setRawMode(true);
  stdin.on("data", read);
  stdin.resume();
  return () => {
    stdin.off("data", read);
    stdin.setRawMode(false);
    stdin.pause();
  };
}
