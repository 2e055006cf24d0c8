/** Runs one command of a plan and reads it: its streams and its events file go to the framework's reader as they come. */
import type { Readable } from "node:stream";
import type { ProjectTestEvent, TestCommand } from "../../machines/model/project_test.ts";
import { PthError } from "../core/errors.ts";
import { abortSentinel, raceAbort } from "../core/waiting.ts";
import { createLineSplitter } from "../platform/line_splitter.ts";
import type { TestStream } from "./framework.ts";
import type { LiveTests, PlacedPlan, RunningCommand } from "./live_tests.ts";
import { type CommandExit, exitText } from "./test_log.ts";

/** Bytes of a line of the events file; longer ones are left out. */
const longestLine = 1024 * 1024;
/** Exit codes of a shell for a command that is not executable, and for one that does not exist. */
const notStarted: readonly (number | null)[] = [126, 127];

export interface ReadCommandOptions {
  env: Record<string, string>;
  signal: AbortSignal;
  /** The process is there, under this number in its place. */
  onStart(pid: number): void;
  /** Anything was printed, or written to the events file. */
  onOutput(): void;
  onEvent(event: ProjectTestEvent): void;
}

/**
 * Runs the command to its end, whatever that is.
 * @throws {PthError} `EXEC_FAILED` where it cannot be started; what the reader or the signal failed with
 */
export async function runTestCommand(
  live: LiveTests,
  plan: PlacedPlan,
  command: TestCommand,
  { env, signal, onStart, onOutput, onEvent }: ReadCommandOptions,
): Promise<CommandExit> {
  const { place, raw } = live;
  const reader = plan.framework.reader(plan.project);
  let failure: { error: unknown } | undefined;
  /** Reading goes on in listeners, where what is thrown would be lost. */
  const safely = (read: () => ProjectTestEvent[]) => {
    if (failure !== undefined) return;
    try {
      for (const event of read()) onEvent(event);
    } catch (error) {
      failure = { error };
    }
  };
  const take = (stream: TestStream, text: string) => {
    if (text === "") return;
    raw[stream].push(text);
    if (live.current?.held !== undefined) return;
    onOutput();
    safely(() => reader.push(stream, text));
  };
  const lines = createLineSplitter({
    maxBytes: longestLine,
    onLine: (line) => take("events", `${line}\n`),
    onOverlong: () => safely(() => [{ type: "unreadable", text: "a line of the events file was too long" }]),
  });
  const followed = await place.follow(plan.events, plan.offset, (bytes) => {
    plan.offset += bytes.byteLength;
    lines.push(bytes);
  });
  try {
    const began = performance.now();
    const child = await place.start(command.argv, {
      env: { ...env, ...command.env },
      ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
    });
    const current: RunningCommand = { pid: child.pid, began, isEnded: false, log: plan.log };
    live.current = current;
    onStart(child.pid);
    const flush = [read(child.stdout, "stdout", take), read(child.stderr, "stderr", take)];
    const status = await raceAbort(child.exited, signal);
    if (status === abortSentinel) throw signal.reason;
    if (current.held && await raceAbort(current.held.promise, signal) === abortSentinel) throw signal.reason;
    delete live.current;
    await followed.finish();
    lines.end();
    for (const end of flush) end();
    safely(() => reader.end(status));
    if (failure !== undefined) throw failure.error;
    live.commands.push({
      kind: plan.log === live.log ? "tests" : "suspect",
      ...command,
      exit: exitText(status),
      durationMs: Math.round(performance.now() - began),
    });
    return { ...status, isEnded: current.isEnded };
  } finally {
    await followed.finish();
  }
}

/** Reads a stream as text; the answer hands over what is left of a character. */
function read(
  stream: Readable,
  name: TestStream,
  take: (name: TestStream, text: string) => void,
): () => void {
  const decoder = new TextDecoder();
  stream.on("data", (bytes: Uint8Array) => take(name, decoder.decode(bytes, { stream: true })));
  return () => take(name, decoder.decode());
}

/**
 * Refuses a command that was never started, as its shell tells. Where a program cannot be executed, a shell may have read
 * it as a script, whose words then say nothing.
 * @throws {PthError} `EXEC_FAILED`
 */
export async function requireStarted(
  { place }: LiveTests,
  { framework }: PlacedPlan,
  command: TestCommand,
  exit: CommandExit,
  stderr: string,
): Promise<void> {
  if (exit.isEnded || exit.code === 0 || exit.code === null) return;
  const { argv } = command;
  const said = stderr.trim().split("\n").at(-1)?.slice(0, 300) || `the command ended with ${exit.code}`;
  const isForeign = /exec format error/i.test(said) || await isOfOtherMachine(place, argv[0]!);
  if (!isForeign && !notStarted.includes(exit.code)) return;
  const next = isForeign
    ? "Build it for this machine, or run the tests where it was built for"
    : exit.code === 127 && framework.buildSystem === "npm"
    ? "Install the project's packages: npm ci, or npm install"
    : "See that the program is there and executable, or name another command";
  const why = isForeign
    ? `${argv[0] === "sh" ? commandLine(command) : argv[0]} is no program that this machine can run`
    : said;
  throw new PthError("EXEC_FAILED", `Cannot run the tests: ${why} (${place.kind})`, {
    tried: [commandLine(command)],
    next: [next],
  });
}

/** The command as a person would write it: of a script that a shell runs, what stands behind the path of its programs. */
export const commandLine = ({ argv: [program, option, script = ""], argv }: TestCommand): string =>
  program === "sh" && option === "-c" ? script.replace(/^PATH=.*\n/, "") : argv.join(" ");

/** Whether a program was built for another machine than the programs of the place: the numbers in their headers differ. */
async function isOfOtherMachine({ exec }: LiveTests["place"], program: string): Promise<boolean> {
  if (!program.includes("/")) return false;
  const script =
    'for file in "$1" /bin/sh; do head -c 20 "$file" | od -An -v -tx1 | tr -d " \\n"; echo; done';
  const { stdout } = await exec(["sh", "-c", script, "sh", program]);
  const [its = "", own = ""] = stdout.split("\n");
  const elf = "7f454c46";
  return its.startsWith(elf) && own.startsWith(elf) && its.slice(36) !== own.slice(36);
}
