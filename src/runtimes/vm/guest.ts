/**
 * A machine reached over kept connections that are opened again when they were lost: commands go to an
 * agent that waits in it where one does, else over SSH, as do ports always.
 */
import { posix } from "node:path";
import { PthError } from "../../core/errors.ts";
import type { SshConnection, SshTarget } from "../../platform/ssh.ts";
import { type Listener, listenOnLoopback } from "../../platform/sockets.ts";
import type { EnvironmentProcess, ExecOptions } from "../runtime.ts";
import { copyIntoGuest, copyOutOfGuest } from "./guest_copy.ts";
import { definedOnly } from "../../core/values.ts";
import { execInGuest, spawnInGuest, type Start } from "./guest_exec.ts";
import type { AgentPort } from "./waiting_agent.ts";
import { connectWithRetries, type Link, openLink } from "./open_link.ts";
import type { GuestRunner } from "./guest_runner.ts";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { joinStreams } from "../../platform/streams.ts";
import type { CopyLimits, ExecResult } from "../../../machines/model/environment_operations.ts";

/** Operations of a runtime on a guest; the semantics are those of `EnvironmentRuntime`'s members. */
export interface Guest {
  exec(command: readonly string[], options?: ExecOptions): Promise<ExecResult>;
  spawn(command: readonly string[], options?: Pick<ExecOptions, "cwd" | "env">): Promise<EnvironmentProcess>;
  copyIn(hostPath: string, envPath: string, signal?: AbortSignal): Promise<void>;
  copyOut(envPath: string, hostPath: string, limits?: CopyLimits): Promise<void>;
  /** The listener on the host's loopback stays until `close`, also over a rollback. @throws {PthError} `PORT_TAKEN` */
  forward(envPort: number, hostPort?: number): Promise<number>;
  /** Connects and starts the agent, if that is still to be done. @throws {PthError} `ENVIRONMENT_LOST` */
  ready(): Promise<void>;
  /** The host's time becomes the guest's. */
  setClock(): Promise<void>;
  /** Way in which commands are run, for people; undefined before the first. */
  readonly how: string | undefined;
  /**
   * Reports that the machine was rolled back or restarted: what PTH had run in it is ended at the next
   * connection.
   */
  dropped(): void;
  close(): Promise<void>;
}

export interface GuestOptions {
  /** Asked at each connection: a port may have changed. */
  target: () => SshTarget;
  /** Folder of commands that name none. */
  sourcePath: string;
  /** Variables for everything that runs inside; `PTH_ENVIRONMENT` tells whose it is. */
  env: Record<string, string>;
  /** Time that a machine may take until SSH answers, in ms; default 60,000. */
  connectMs?: number;
  /** Finds the port of a waiting agent; undefined where none waits. */
  port?: () => Promise<AgentPort | undefined>;
  /** Asked before each further try to connect; throws where there is no machine any more that could answer. */
  mustLive?: () => Promise<void>;
}

/** Number of times that a connection which is lost at once is reopened before that is reported. */
const linkTries = 5;

export function openGuest(options: GuestOptions): Guest {
  const { target, connectMs = 60_000 } = options;
  const { port, mustLive } = options;
  const forwards = new Map<number, Promise<Listener>>();
  const kept = new Set<Promise<Listener>>();
  const keep = (envPort: number, listener: Promise<Listener>) => {
    kept.add(listener);
    forwards.set(envPort, listener);
    listener.catch(() => { // its callers get the error
      kept.delete(listener);
      if (forwards.get(envPort) === listener) forwards.delete(envPort);
    });
  };
  // Connections of other processes to the same machine share it.
  const scope = (options.env.PTH_ENVIRONMENT ?? crypto.randomUUID()).replaceAll(/[^A-Za-z0-9-]/g, "-");
  /** The last that was opened. */
  let before: Link | undefined;
  let wentBack = false;
  let closed = false;
  let connecting = new AbortController();
  let how: string | undefined;

  const open = async (): Promise<Link> => {
    const afresh = wentBack;
    wentBack = false; // it may go back once more meanwhile
    try {
      const opened = await openLink({
        target,
        connectMs,
        scope,
        afresh,
        signal: connecting.signal,
        ...definedOnly({ before, port, mustLive }),
      });
      before = opened;
      how = opened.runner.how;
      return opened;
    } catch (error) {
      wentBack ||= afresh;
      throw error;
    }
  };
  const links = createReconnecting(open, linkTries, neverLasts);
  /** For ports, where commands do not go over SSH. */
  const connections = createReconnecting(
    () => connectWithRetries({ target, connectMs, signal: connecting.signal, ...definedOnly({ mustLive }) }),
    linkTries,
    neverLasts,
  );
  const link = async (): Promise<Link> => {
    if (closed) throw letGo();
    return await links.get();
  };
  const ssh = async (): Promise<SshConnection> => (await link()).ssh ?? await connections.get();
  /** @param ask Answers undefined where the link was lost before anything was begun. */
  const overLink = async <T>(ask: (runner: GuestRunner) => Promise<T | undefined>): Promise<T> => {
    for (let tries = 0; tries < linkTries; tries++) {
      const answer = await ask((await link()).runner); // which may take seconds
      if (answer !== undefined) return answer;
    }
    throw neverLasts();
  };
  const start: Start = (order) => overLink((runner) => runner.start(order));
  const orderOf = (command: readonly string[], given: Pick<ExecOptions, "cwd" | "env"> = {}) => ({
    command,
    cwd: posix.resolve(options.sourcePath, given.cwd ?? "."),
    env: { ...options.env, ...given.env },
  });
  const forget = async (leave: (old: Pick<Link, "end" | "cut">) => Promise<void> | void) => {
    const old = [links.take(), connections.take()];
    connecting.abort(letGo());
    connecting = new AbortController();
    await Promise.all(old.map((one) => one?.then(leave, () => {}))); // one that never opened needs no end
  };

  return {
    exec: (command, given = {}) => execInGuest(start, orderOf(command, given), given),
    spawn: (command, given) => spawnInGuest(start, orderOf(command, given)),
    copyIn: (hostPath, envPath, signal) =>
      copyIntoGuest(start, hostPath, posix.resolve(options.sourcePath, envPath), signal),
    copyOut: (envPath, hostPath, limits) =>
      copyOutOfGuest(start, posix.resolve(options.sourcePath, envPath), hostPath, limits),
    async forward(envPort, hostPort) {
      if (closed) throw letGo();
      // Servers that follow each other on a port share one listener.
      const known = hostPort === undefined ? forwards.get(envPort) : undefined;
      const listener = known ?? forwardToGuest(ssh, envPort, hostPort ?? 0);
      if (known === undefined) keep(envPort, listener);
      return (await listener).port;
    },
    async ready() {
      await link();
    },
    async setClock() {
      await overLink(async (runner) => await runner.setClock(Date.now() / 1000) || undefined);
    },
    get how() {
      return how;
    },
    dropped() {
      wentBack = true;
      void forget((connection) => connection.cut()); // all that waits for its answers ends with it
    },
    async close() {
      closed = true;
      const listeners = [...kept];
      kept.clear();
      forwards.clear();
      await Promise.all(listeners.map(async (listener) => await (await listener).close()));
      await forget((connection) => connection.end());
    },
  };
}

const neverLasts = () =>
  new PthError("ENVIRONMENT_LOST", "Cannot reach the guest: each connection to it is lost at once", {
    next: ["See in the guest what ends it: the journal tells of a lack of memory, and of sshd"],
  });

const letGo = () =>
  new PthError("ENVIRONMENT_LOST", "Cannot reach the guest: the connection was closed meanwhile");

/** Resource that is opened at its first use, shared by all who ask meanwhile, and reopened when it was lost. */

interface Reconnecting<T> {
  get(): Promise<T>;
  /** Lets go of it: what was opened, or is being opened; undefined where nothing was. */
  take(): Promise<T> | undefined;
}

/**
 * @param tries Number of times that a resource which is lost at once is reopened.
 * @param neverLasts Error message after that.
 */
function createReconnecting<T extends { readonly isOpen: boolean }>(
  open: () => Promise<T>,
  tries: number,
  neverLasts: () => Error,
): Reconnecting<T> {
  let current: Promise<T> | undefined;
  const get = async (left: number): Promise<T> => {
    if (left === 0) throw neverLasts();
    const asked = current ??= open();
    const opened = await asked.catch((error) => {
      if (current === asked) current = undefined;
      throw error;
    });
    if (opened.isOpen) return opened;
    if (current === asked) current = undefined;
    return await get(left - 1);
  };
  return {
    get: () => get(tries),
    take() {
      const old = current;
      current = undefined;
      return old;
    },
  };
}

/** A server may listen on one of them only; names are not asked, as a test may break /etc/hosts. */
const loopbacks = ["127.0.0.1", "::1"];

/** @throws {PthError} `PORT_TAKEN` */
const forwardToGuest = (
  connection: () => Promise<SshConnection>,
  envPort: number,
  hostPort: number,
): Promise<Listener> =>
  listenOnLoopback(hostPort, (client) => {
    lead(client, connection, envPort).catch(() => client.resetAndDestroy()); // to the other side a refusal, and no empty answer
  });

async function lead(
  client: Socket,
  connection: () => Promise<SshConnection>,
  envPort: number,
): Promise<void> {
  const first = await connection();
  try {
    joinUnlessLost(client, await reach(first, envPort), first);
  } catch {
    // It was lost without a word until this was asked of it: nothing was sent yet, so a new one serves as well.
    const next = await connection();
    joinUnlessLost(client, await reach(next, envPort), next);
  }
}

function joinUnlessLost(client: Socket, channel: Duplex | undefined, over: SshConnection): void {
  if (channel === undefined) return void client.resetAndDestroy();
  // A lost connection ends its channels, too: an answer that it cut short must not seem whole.
  channel.once("end", () => {
    if (!over.isOpen) client.resetAndDestroy();
  });
  joinStreams(client, channel);
}

/** Connects to a port inside; undefined where nothing listens there. @throws {PthError} `ENVIRONMENT_LOST` */
async function reach(ssh: SshConnection, envPort: number): Promise<Duplex | undefined> {
  for (const host of loopbacks) {
    const channel = await ssh.reach(host, envPort);
    if (channel !== undefined) return channel;
  }
  return undefined;
}
