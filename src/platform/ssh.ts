/** One kept SSH connection to a machine, the same on Deno and Node; the only file that knows `ssh2`. */
import { Buffer } from "node:buffer";
import { connect as netConnect, type Socket } from "node:net";
import type { Duplex, Readable } from "node:stream";
import { setTimeout as later } from "node:timers/promises";
import type { CipherAlgorithm, Client, ClientChannel, ConnectConfig, ServerHostKeyAlgorithm } from "ssh2";
import { errorMessage, PthError } from "../core/errors.ts";
import type { ExitStatus } from "./process.ts";
import type { NextStep } from "../core/errors.ts";

export interface SshTarget {
  host: string;
  port: number;
  username: string;
  /** Text of the private key (PEM or OpenSSH). */
  privateKey: string;
  /** Lines as in `known_hosts`, with or without the names; another key is an error. Absent: any key will do. */
  hostKey?: string;
}

/**
 * Reason why a machine cannot be reached: no SSH server answers there yet (worth waiting for), it does not
 * take the key, it is not the machine that was meant, or the two do not understand each other.
 */
export type SshProblem = "not-answering" | "wrong-key" | "host-key" | "protocol";

/** A command's live pipes; `io` is its stdin and stdout. */
export interface SshChannel {
  readonly io: Duplex;
  readonly stderr: Readable;
  /** The command's end; undefined where the connection was lost before it arrived. Never rejects. */
  readonly ended: Promise<ExitStatus | undefined>;
}

export interface SshConnection {
  /**
   * Runs a command line by the user's shell. A server opens ten channels or so at a time; more wait for a while.
   * @throws {PthError} `ENVIRONMENT_LOST`, or `EXEC_FAILED` where the server opens no more
   */
  run(commandLine: string): Promise<SshChannel>;
  /** A stream to a port that the machine reaches; undefined where nothing listens. @throws {PthError} `ENVIRONMENT_LOST` */
  reach(host: string, port: number): Promise<Duplex | undefined>;
  /** Whether it can be used, as far as is known. */
  readonly isOpen: boolean;
  /** Resolves when the connection is over, with the reason where it was not `end`; never rejects. */
  readonly closed: Promise<Error | undefined>;
  end(): Promise<void>;
  /** Ends it without a word to the other side, which is not there any more. */
  cut(): void;
}

export interface SshOptions {
  signal?: AbortSignal;
  /** For all of connecting and logging in, in ms; default 20,000. */
  timeoutMs?: number;
  /** For the first word of the server, in ms; default `timeoutMs`. An emulator's forwarded port accepts before a server does. */
  answerMs?: number;
}

/** Soon enough that a machine that stopped is noticed within a minute, and a slow one is not given up. */
const keepalive = { keepaliveInterval: 15_000, keepaliveCountMax: 3 };
/**
 * Time for which a further channel is asked for where a server has as many as it allows, and the interval, in
 * ms.
 */
const [channelMs, channelPauseMs] = [20_000, 50];
/** Time that a goodbye may take, in ms. */
const goodbyeMs = 500;

/**
 * Connects and logs in by key.
 * @throws {PthError} `ENVIRONMENT_LOST` with a `problem` (`SshProblem`) in its context
 */
export async function connectSsh(target: SshTarget, options: SshOptions = {}): Promise<SshConnection> {
  options.signal?.throwIfAborted();
  const { default: ssh2 } = await import("ssh2");
  const client = new ssh2.Client();
  const socket = netConnect({ host: target.host, port: target.port, noDelay: true });
  const connection = connectionOf(client, socket, target); // hears of a loss from the first moment on
  const known: Known = { answered: false, keyDiffers: false };
  socket.once("data", () => known.answered = true);
  try {
    await loggedIn(client, socket, target, options, known);
  } catch (error) {
    client.on("error", () => {}); // why it failed is known already
    socket.on("error", () => {});
    client.destroy();
    socket.destroy();
    options.signal?.throwIfAborted();
    throw connectError(error, target, known);
  }
  return connection;
}

/** The problem of an error of `connectSsh`. */
export const sshProblem = (error: unknown): SshProblem | undefined =>
  error instanceof PthError ? error.context.problem as SshProblem | undefined : undefined;

/** Facts about the server that were seen while connecting. */
interface Known {
  answered: boolean;
  keyDiffers: boolean;
}

function loggedIn(
  client: Client,
  socket: Socket,
  target: SshTarget,
  { signal, timeoutMs = 20_000, answerMs = timeoutMs }: SshOptions,
  known: Known,
): Promise<void> {
  const timers: ReturnType<typeof setTimeout>[] = [];
  let abort = () => {};
  const result = new Promise<void>((resolve, reject) => {
    const giveUp = (why: string) => reject(new Error(why));
    abort = () => giveUp("aborted");
    timers.push(
      setTimeout(() => known.answered || giveUp(`no word from a server within ${answerMs} ms`), answerMs),
      setTimeout(() => giveUp(`not logged in within ${timeoutMs} ms`), timeoutMs),
    );
    signal?.addEventListener("abort", abort, { once: true });
    client.once("ready", resolve);
    client.once("error", reject);
    client.once("close", () => giveUp("the connection was closed before the login"));
    client.connect({ ...configOf(target, known), sock: socket });
  });
  return result.finally(() => {
    timers.forEach(clearTimeout);
    signal?.removeEventListener("abort", abort);
  });
}

function configOf(target: SshTarget, known: Known): ConnectConfig {
  const keys = hostKeysOf(target.hostKey);
  const types = [...new Set(keys.map(({ type }) => type))];
  return {
    username: target.username,
    privateKey: target.privateKey,
    readyTimeout: 0, // timed here
    ...keepalive,
    hostVerifier: (key: Buffer): boolean => {
      known.keyDiffers = keys.length > 0 && !keys.some(({ data }) => data === key.toString("base64"));
      return !known.keyDiffers;
    },
    algorithms: {
      cipher: ciphers,
      // A server with several keys shows the one that is known.
      ...(types.length > 0 ? { serverHostKey: types as ServerHostKeyAlgorithm[] } : {}),
    },
  };
}

/** The first is twice as quick on a processor without instructions for AES, as an emulated one is. */
const ciphers: CipherAlgorithm[] = [
  "chacha20-poly1305@openssh.com",
  "aes128-gcm@openssh.com",
  "aes256-gcm@openssh.com",
  "aes128-ctr",
  "aes256-ctr",
];

/** Type and key of each line "[names] type base64 [comment]". */
function hostKeysOf(lines = ""): { type: string; data: string }[] {
  const found = lines.matchAll(/(?:^|\s)((?:ssh|ecdsa)-[\w-]+)\s+([A-Za-z0-9+/=]+)/g);
  return [...found].map(([, type, data]) => ({ type: type!, data: data! }));
}

function connectError(error: unknown, target: SshTarget, known: Known): PthError {
  const problem = known.keyDiffers ? "host-key" : problemOf(error as Error & { level?: string });
  const place = `${target.username}@${target.host}:${target.port}`;
  const state: Record<SshProblem, string> = {
    "not-answering": `no SSH server answers there (${errorMessage(error)})`,
    "wrong-key": `it does not take the key (${errorMessage(error)})`,
    "host-key":
      "the machine shows another host key than the one that is known: it is not the one that was made",
    protocol: `SSH is not understood there (${errorMessage(error)})`,
  };
  return new PthError("ENVIRONMENT_LOST", `Cannot connect to ${place}: ${state[problem]}`, {
    problem,
    next: nextOf[problem],
  }, { cause: error });
}

const nextOf: Record<SshProblem, NextStep[]> = {
  "not-answering": ["See how far the machine came: its console is in the environment's logs"],
  "wrong-key": [{
    terminal: "Build the image again, which makes a new key: pth images build <image>",
    mcp: 'Build the image again, which makes a new key: pth_rebuild_base_images({ names: ["<image>"] })',
  }],
  "host-key": ["Destroy the environment and provision it again"],
  protocol: ["See what listens on that port on the host: ss -ltnp"],
};

function problemOf({ level, message }: Error & { level?: string }): SshProblem {
  if (level === "client-authentication" || /privateKey|authentication methods/.test(message)) {
    return "wrong-key";
  }
  if (/no matching host key/i.test(message)) return "host-key";
  // "Connection lost before handshake", refused, reset, unreachable, silent.
  if (level === "client-socket" || /within|closed|lost before|hang up|ended/i.test(message)) {
    return "not-answering";
  }
  return "protocol";
}

function connectionOf(client: Client, socket: Socket, target: SshTarget): SshConnection {
  let isOpen = true;
  let reason: Error | undefined;
  /** Calls that wait for an answer, and are notified if there will be none. */
  const waiting = new Set<() => void>();
  const noteLoss = (cause: Error) => {
    if (isOpen) reason ??= cause;
    isOpen = false;
  };
  // Before the client hears of it: it answers what waits, and closes channels, before it tells the loss.
  for (const event of ["end", "close"]) {
    socket.prependListener(event, () => noteLoss(new Error("the connection was cut")));
  }
  socket.prependListener("error", noteLoss);
  client.on("error", noteLoss);
  const closed = new Promise<Error | undefined>((resolve) => {
    client.once("close", () => {
      for (const tell of waiting) tell();
      waiting.clear();
      resolve(reason);
    });
  });
  const lost = (cause?: unknown) =>
    new PthError(
      "ENVIRONMENT_LOST",
      `Cannot go on with ${target.host}:${target.port}: ${
        errorMessage(cause ?? reason ?? "the connection is over")
      }`,
      {},
      { cause },
    );
  // Not the client's `destroy`: that does nothing once a goodbye was said, and a machine that went back in time never answers one.
  const cut = () => {
    isOpen = false;
    socket.destroy();
  };
  /** Neither an answer nor the server's refusal: the connection is of no use any more, whether or not that was seen. */
  const gone = (cause: unknown) => {
    noteLoss(cause instanceof Error ? cause : new Error(errorMessage(cause)));
    cut();
    return lost(reason ?? cause);
  };
  /** Asks the client for a channel; a connection that is lost meanwhile answers nothing. */
  const ask = <T>(open: (give: (error: Error | undefined, channel?: T) => void) => void): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (!isOpen) return reject(lost());
      const isLost = () => reject(lost(reason));
      waiting.add(isLost);
      const give = (error: unknown, channel?: T) => {
        waiting.delete(isLost);
        if (channel === undefined) reject(isOpen && isRefused(error) ? error : gone(error));
        else resolve(channel);
      };
      try {
        open(give);
      } catch (error) {
        give(error);
      }
    });
  /** Listens before anything else is read: a quick command's end comes with the word that it began. */
  const channelOf = (io: ClientChannel): SshChannel => {
    io.on("error", () => io.destroy()); // `ended` tells
    let status: ExitStatus | undefined;
    io.once("exit", (code: number | null, signal?: string) => {
      status = { code, signal: signal === undefined ? null : `SIG${signal.replace(/^SIG/, "")}` };
    });
    const ended = new Promise<ExitStatus | undefined>((resolve) => {
      const end = () => {
        waiting.delete(end);
        resolve(status);
      };
      waiting.add(end); // a channel with unread output does not close
      for (const event of ["exit", "close"]) io.once(event, end);
    });
    return { io, stderr: io.stderr, ended };
  };
  const openChannel = async (commandLine: string): Promise<SshChannel> => {
    const end = performance.now() + channelMs;
    for (;;) {
      try {
        return await ask<SshChannel>((give) =>
          client.exec(commandLine, (error, io) => error ? give(error) : give(undefined, channelOf(io)))
        );
      } catch (error) {
        if (error instanceof PthError) throw error;
        if (performance.now() > end) throw noMoreChannels(target, error);
      }
      await later(channelPauseMs);
    }
  };
  return {
    run: openChannel,
    async reach(host, port) {
      try {
        const stream = await ask<Duplex>((give) => client.forwardOut("127.0.0.1", 0, host, port, give));
        stream.on("error", () => stream.destroy());
        return stream;
      } catch (error) {
        if (error instanceof PthError) throw error;
        return undefined; // the server's reply: nothing listens
      }
    },
    get isOpen() {
      return isOpen;
    },
    closed,
    async end() {
      isOpen = false;
      client.end();
      if (await Promise.race([closed.then(() => true), later(goodbyeMs, false)])) return;
      cut();
      await closed;
    },
    cut,
  };
}

/** Whether the server itself said no. */
const isRefused = (error: unknown): boolean => errorMessage(error).includes("Channel open failure");

const noMoreChannels = ({ host, port }: SshTarget, cause: unknown): PthError =>
  new PthError("EXEC_FAILED", `Cannot run a command at ${host}:${port}: the server opens no more channels`, {
    next: [
      "Allow more in the machine's sshd_config: MaxSessions 100",
      "Install python3 in the machine's image: one channel then serves all",
    ],
  }, { cause });
