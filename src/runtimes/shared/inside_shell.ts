/** A shell that stays open inside an environment: for many small steps, each of which costs less than a command's start. */
import { Buffer } from "node:buffer";
import { PthError } from "../../core/errors.ts";
import { withDeadline } from "../../core/waiting.ts";
import type { EnvironmentProcess } from "../runtime.ts";

export interface ShellLimits {
  /** The shell is ended where a line prints more; default 64 KiB. */
  maxBytes?: number;
  /** The shell is ended where a line takes longer; default 10 s. */
  timeoutMs?: number;
}

interface Waiting {
  chunks: Buffer[];
  size: number;
  maxBytes: number;
  resolve(output: Buffer): void;
  reject(error: unknown): void;
}

/** Reads lines and says, behind what each of them printed, that it is done. */
const loop = `pth_mark=$1
while IFS= read -r pth_line; do
  eval "$pth_line" </dev/null 2>/dev/null
  printf '\\n%s\\n' "$pth_mark"
done`;

/** Number of times that a lost shell is restarted. */
const mostStarts = 4;
const startMs = 30_000;

/**
 * Runs lines of POSIX shell one after the other. A plugin may end the shell, write into its pipes or have it wait for ever:
 * that costs the line its answer, in bounded time and memory, and the next line gets a new shell.
 */
export class InsideShell {
  readonly #start: (command: string[]) => Promise<EnvironmentProcess>;
  readonly #prelude: string;
  /** Ends each answer; new for each shell, so that no answer of an earlier one is taken for it. */
  #mark = "";
  #process: EnvironmentProcess | undefined;
  #waiting: Waiting | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #starts = 0;
  #closed = false;

  /** @param prelude one line that each shell runs first */
  constructor(start: (command: string[]) => Promise<EnvironmentProcess>, prelude: string) {
    this.#start = start;
    this.#prelude = prelude;
  }

  /** Resolves to the output of the line. @throws {PthError} `EXEC_FAILED` where the shell was lost or went beyond a limit */
  run(line: string, limits: ShellLimits = {}): Promise<Buffer> {
    const turn = this.#turn.then(() => this.#run(line, limits));
    // One that fails is its caller's affair, and not the next one's.
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /** Ends it; what waits for an answer is refused. */
  close(): void {
    this.#closed = true;
    this.#drop("it was closed");
  }

  async #run(line: string, limits: ShellLimits): Promise<Buffer> {
    if (this.#closed) throw lost("it is closed");
    if (this.#process === undefined) {
      if (this.#starts >= mostStarts) throw lost(`it was lost ${mostStarts} times`);
      this.#starts++;
      this.#mark = crypto.randomUUID();
      this.#process = this.#follow(await this.#started());
      await this.#say(this.#prelude, limits);
    }
    return await this.#say(line, limits);
  }

  async #started(): Promise<EnvironmentProcess> {
    const starting = this.#start(["sh", "-c", loop, "sh", this.#mark]);
    if (await withDeadline(starting, startMs)) return await starting;
    // Should it come after all, it is not wanted any more; the reason of its absence was reported.
    starting.then((process) => process.kill("SIGKILL")).catch(() => {});
    throw lost(`it did not start within ${startMs / 1000} s`);
  }

  #follow(process: EnvironmentProcess): EnvironmentProcess {
    process.stderr.resume();
    process.stdout.on("data", (chunk: Buffer) => this.#process === process && this.#heard(chunk));
    process.exited.then(() => this.#process === process && this.#drop("it ended"));
    return process;
  }

  #say(line: string, { maxBytes = 64 * 1024, timeoutMs = 10_000 }: ShellLimits): Promise<Buffer> {
    if (this.#process === undefined) return Promise.reject(lost("it ended"));
    const { stdin } = this.#process;
    return new Promise<Buffer>((resolve, reject) => {
      const clock = setTimeout(() => this.#drop(`a step took more than ${timeoutMs / 1000} s`), timeoutMs);
      const done = (): void => {
        clearTimeout(clock);
        this.#waiting = undefined;
      };
      this.#waiting = {
        chunks: [],
        size: 0,
        maxBytes,
        resolve: (output) => (done(), resolve(output)),
        reject: (error) => (done(), reject(error)),
      };
      stdin.write(`${line}\n`);
    });
  }

  #heard(chunk: Buffer): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return this.#drop("it said something that nobody had asked for");
    waiting.chunks.push(chunk);
    waiting.size += chunk.length;
    const end = Buffer.from(`\n${this.#mark}\n`);
    if (endsWith(waiting.chunks, end)) {
      return waiting.resolve(Buffer.concat(waiting.chunks).subarray(0, waiting.size - end.length));
    }
    if (waiting.size > waiting.maxBytes + end.length) {
      this.#drop(`it told more than ${waiting.maxBytes} bytes`);
    }
  }

  #drop(why: string): void {
    const process = this.#process;
    this.#process = undefined;
    // It may be gone already, and its environment with it: nothing of it is heard any more.
    process?.kill("SIGKILL").catch(() => {});
    this.#waiting?.reject(lost(why));
  }
}

const lost = (why: string): PthError =>
  new PthError("EXEC_FAILED", `Cannot continue the shell inside the environment: ${why}`);

function endsWith(chunks: readonly Buffer[], end: Buffer): boolean {
  const last: Buffer[] = [];
  let size = 0;
  for (let index = chunks.length - 1; index >= 0 && size < end.length; index--) {
    last.unshift(chunks[index]!);
    size += chunks[index]!.length;
  }
  const tail = Buffer.concat(last);
  return tail.length >= end.length && tail.subarray(tail.length - end.length).equals(end);
}
