/** Commands in a guest without an agent: a channel of the connection for each, its pid as the first line of its stderr. */
import { type Duplex, PassThrough, type Readable, Writable } from "node:stream";
import { setTimeout as later } from "node:timers/promises";
import type { SshChannel, SshConnection } from "../../platform/ssh.ts";
import { quoted } from "../shared/quoted.ts";
import { type GuestCommand, type GuestOrder, type GuestRunner, mark } from "./guest_runner.ts";

/** How long outputs must be silent after their process ended before what it left behind no longer counts, in ms. */
const quietMs = 300;

/** Tells the pid, goes to the folder, becomes the command; the shell names what is not there. */
const script = 'echo $$ >&2; cd -- "$1" || exit 126; shift; exec "$@"';

/** Ends by mark: what left the process group carries it too. Repeated, as they may fork meanwhile. */
export const endByMark = `for round in 1 2 3 4 5 6 7 8; do
  pids=$(grep -alF -- "$1" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 | grep -vx $$)
  [ -n "$pids" ] || exit 0
  kill -KILL $pids 2>/dev/null
done`;

/** What carries a mark of this guest's ($1), but not this connection's ($2). */
const othersScript = `for round in 1 2 3 4; do
  pids=$(grep -alE "PTH_(EXEC|AGENT)=$1/" /proc/[0-9]*/environ 2>/dev/null | xargs -r grep -aLF -- "=$2" 2>/dev/null | cut -d/ -f3 | grep -vx $$)
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
    hasChanged: () => Promise.resolve(true), // nobody watches there
    async endOthers(scope) {
      await runQuietly(connection, asRoot, ["sh", "-c", othersScript, "sh", scope, prefix]);
    },
    async start(order) {
      const id = `${prefix}.${++last}.`; // 1 is no beginning of 10
      const channel = await connection.run(lineOf(order, id, asRoot));
      if (!order.stdin) channel.io.end();
      return await commandOf(connection, channel, asRoot, id);
    },
  };
}

async function runQuietly(
  connection: SshConnection,
  asRoot: string,
  words: readonly string[],
): Promise<void> {
  if (!connection.isOpen) return;
  const channel = await connection.run(`${asRoot} ${words.map(quoted).join(" ")}`);
  channel.io.resume();
  channel.stderr.resume();
  await channel.ended;
}

/** `exec` keeps the session that the server made for the channel: its group is the command's. */
function lineOf({ command, cwd, env }: GuestOrder, id: string, asRoot: string): string {
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
): Promise<GuestCommand> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let heard = 0;
  for (const [from, to] of [[channel.io, stdout], [channel.stderr, stderr]] as const) {
    from.on("data", () => heard = performance.now());
    from.pipe(to);
    channel.io.once("close", () => to.end());
  }
  const closed = Promise.all(
    [stdout, stderr].map((stream) => new Promise((resolve) => stream.once("finish", resolve))),
  );
  const pid = await firstNumber(stderr);
  const settled = channel.ended.then(async (status) => {
    if (status === undefined) return undefined;
    let whole = false;
    void closed.then(() => whole = true);
    heard = performance.now();
    while (!whole && performance.now() - heard < quietMs) await Promise.race([closed, later(20)]);
    return status;
  });
  const quietly = (words: string[]) => runQuietly(connection, asRoot, words);
  return {
    pid,
    stdin: inputOf(channel.io),
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

/** Writing to a command that is gone is no error; the end of its stdin leaves its outputs open. */
const inputOf = (io: Duplex): Writable =>
  new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      if (io.destroyed || !io.writable) return done();
      let told = false;
      const once = () => {
        if (!told) done();
        told = true;
      };
      io.once("close", once); // nobody reads any more
      io.write(chunk, () => {
        io.off("close", once);
        once();
      });
    },
    final(done) {
      io.end();
      done();
    },
  });

/** Takes the first line, a number, off the stream; what follows it stays. */
function firstNumber(stream: Readable): Promise<number | undefined> {
  return new Promise((resolve) => {
    let seen = "";
    const finish = (number: number | undefined) => {
      stream.off("readable", look);
      stream.off("end", gone);
      resolve(number);
    };
    const gone = () => finish(undefined);
    const look = () => {
      let byte: Uint8Array | null;
      while ((byte = stream.read(1) as Uint8Array | null) !== null) {
        if (byte[0] === 10) return finish(Number(seen));
        seen += String.fromCharCode(byte[0]!);
      }
    };
    stream.on("readable", look);
    stream.once("end", gone);
    look();
  });
}
