/** Commands in a guest without an agent: a channel of the connection for each, its pid as the first line of its stderr. */
import { PassThrough, Writable } from "node:stream";
import { PthError } from "../../core/errors.ts";
import { type ExitStatus, quoted } from "../../platform/process.ts";
import { takeNumberLine } from "../../platform/streams.ts";
import type { SshChannel, SshConnection } from "../../platform/ssh.ts";
import { waitForIdle } from "../../platform/sleep_in_ticks.ts";
import { type CommandRequest, type InsideCommand, mark } from "../shared/agent/inside_command.ts";
import { clockRefused, type GuestRunner } from "./guest_runner.ts";

/** Time for which outputs must be quiet after their process ended before descendants no longer count, in ms. */
const quietMs = 300;

/** Tells the pid, goes to the folder, becomes the command; the shell names what is not there. */
const script = 'echo $$ >&2; cd -- "$1" || exit 126; shift; exec "$@"';

/** Ends by mark: what left the process group carries it too. Repeated, as they may fork meanwhile. */
export const endByMark = `for round in 1 2 3 4 5 6 7 8; do
  pids=$(grep -alF -- "$1" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 | grep -vx $$)
  [ -n "$pids" ] || exit 0
  kill -KILL $pids 2>/dev/null
done`;

/** Ends processes whose label begins with $1, but not those of this connection ($2). */
const othersScript = `for round in 1 2 3 4; do
  pids=$(grep -alE "PTH_(EXEC|AGENT)=$1" /proc/[0-9]*/environ 2>/dev/null | xargs -r grep -aLF -- "=$2" 2>/dev/null | cut -d/ -f3 | grep -vx $$)
  [ -n "$pids" ] || exit 0
  kill -KILL $pids 2>/dev/null
done`;

/** @param asRoot Words before a command that make its user root, or none. */
export function channelRunner(
  connection: SshConnection,
  asRoot: string,
  reason: string,
  prefix: string,
): GuestRunner {
  let last = 0;
  return {
    how: `a channel for each command: ${reason}`,
    get isOpen() {
      return connection.isOpen;
    },
    async endOthers(ids) {
      await runToEnd(connection, asRoot, ["sh", "-c", othersScript, "sh", ids, prefix]);
    },
    async setClock(seconds) {
      const said = connection.isOpen &&
        await runQuietly(connection, asRoot, ["date", "-u", "-s", `@${seconds}`]);
      if (said && said.code !== 0) throw clockRefused(`date ended with ${said.code}`);
      return Boolean(said);
    },
    async start(order) {
      if (!connection.isOpen) return undefined;
      const id = `${prefix}.${++last}.`; // 1 is no beginning of 10
      const channel = await connection.run(lineOf(order, id, asRoot));
      if (!order.stdin) channel.io.end();
      return await commandOf(connection, channel, asRoot, id);
    },
  };
}

/** Undefined where the connection was lost. */
async function runQuietly(
  connection: SshConnection,
  asRoot: string,
  words: readonly string[],
): Promise<ExitStatus | undefined> {
  const channel = await connection.run(`${asRoot} ${words.map(quoted).join(" ")}`);
  channel.io.resume();
  channel.stderr.resume();
  return await channel.ended;
}

/** @throws {PthError} `ENVIRONMENT_LOST` */
async function runToEnd(connection: SshConnection, asRoot: string, words: readonly string[]): Promise<void> {
  if (await runQuietly(connection, asRoot, words) !== undefined) return;
  throw new PthError("ENVIRONMENT_LOST", "Cannot stop processes in the guest: connection lost");
}

/** `exec` keeps the session that the server made for the channel: its group is the command's. */
function lineOf({ command, cwd, env }: CommandRequest, id: string, asRoot: string): string {
  const variables = Object.entries({ ...env, [mark]: id }).map(([name, value]) => `${name}=${value}`);
  // Become root by a process in between: the command then leads a session of its own.
  const own = asRoot === "" ? "" : `${asRoot} setsid -w`;
  const words = ["env", ...variables, "sh", "-c", script, "sh", cwd, ...command];
  return `exec ${own} ${words.map(quoted).join(" ")}`;
}

async function commandOf(
  connection: SshConnection,
  channel: SshChannel,
  asRoot: string,
  id: string,
): Promise<InsideCommand> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let heard = 0;
  for (const [from, to] of [[channel.io, stdout], [channel.stderr, stderr]] as const) {
    from.on("data", () => heard++);
    from.pipe(to);
    channel.io.once("close", () => to.end());
  }
  const closed = Promise.all(
    [stdout, stderr].map((stream) => new Promise((resolve) => stream.once("finish", resolve))),
  );
  const pid = await takeNumberLine(stderr);
  const settled = channel.ended.then(async (status) => {
    if (status === undefined) return undefined;
    await waitForIdle(quietMs, () => heard, closed);
    // A connection that is lost closes the outputs, too: what was still to come of them is lost.
    return connection.isOpen ? status : undefined;
  });
  /** Runs a command whose failure does not matter: whatever a lost connection leaves is ended at the next one. */
  const quietly = async (words: string[]) => {
    try {
      await runToEnd(connection, asRoot, words);
    } catch (error) {
      if (!(error instanceof PthError && error.code === "ENVIRONMENT_LOST")) throw error;
    }
  };
  return {
    pid,
    stdin: inputOf(channel),
    stdout,
    stderr,
    ended: channel.ended,
    settled,
    async signal(signal) {
      if (pid !== undefined) {
        await quietly(["sh", "-c", 'kill -s "$1" -- "-$2"', "sh", signal.slice(3), String(pid)]);
      }
      if (signal === "SIGKILL") await quietly(["sh", "-c", endByMark, "sh", `${mark}=${id}`]);
    },
    discard: () => channel.io.destroy(),
  };
}

/** Writing to a command that is gone, or lost, is no error; the end of its stdin leaves its outputs open. */
function inputOf({ io, ended }: SshChannel): Writable {
  let over = false;
  let written: (() => void) | undefined;
  const taken = () => {
    const done = written;
    written = undefined;
    done?.();
  };
  const nobodyReads = () => {
    over = true;
    taken();
  };
  io.once("close", nobodyReads);
  // A lost channel stays writable, and takes nothing.
  void ended.then((status) => status === undefined && nobodyReads());
  return new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      if (over || io.destroyed || !io.writable) return done();
      written = done;
      io.write(chunk, taken);
    },
    final(done) {
      io.end();
      done();
    },
  });
}
