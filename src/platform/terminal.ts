/** The three standard streams as the faces of PTH use them: text out, width, and a question that shows no answer. */
import process from "node:process";

/** Where text goes for people or pipes. */
export interface TextOutput {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Colours are wanted: a terminal, and neither `NO_COLOR` nor `TERM=dumb`. */
  readonly colour: boolean;
  /** Width in columns; 80 where there is no terminal. */
  columns(): number;
}

function textOutput(stream: NodeJS.WriteStream): TextOutput {
  const isTerminal = stream.isTTY === true && process.env.TERM !== "dumb";
  return {
    write: (text) => void stream.write(text),
    isTerminal,
    colour: isTerminal && !process.env.NO_COLOR,
    columns: () => (isTerminal && stream.columns > 0 ? stream.columns : 80),
  };
}

let streams: { stdout: TextOutput; stderr: TextOutput } | undefined;

/** stdout and stderr. A reader that went away (`pth … | head`) is no error: what is written then is lost. */
export function standardOutputs(): { stdout: TextOutput; stderr: TextOutput } {
  if (streams === undefined) {
    for (const stream of [process.stdout, process.stderr]) stream.on("error", ignoreClosedPipe);
    streams = { stdout: textOutput(process.stdout), stderr: textOutput(process.stderr) };
  }
  return streams;
}

function ignoreClosedPipe(error: Error & { code?: string }): void {
  if (error.code !== "EPIPE" && error.code !== "ERR_STREAM_DESTROYED") throw error;
}

/** Resolves when everything written has left this process. */
export async function flushOutputs(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.destroyed || stream.writableEnded) continue;
    await new Promise<void>((resolve) => {
      stream.write("", () => resolve());
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
