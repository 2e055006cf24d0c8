/** A machine reached over SSH, over one kept connection that is opened again when it was lost (PTH design §5.1). */
import { posix } from "node:path";
import { PthError } from "../../errors.ts";
import type { SshConnection, SshTarget } from "../../platform/ssh.ts";
import type { Listener } from "../../platform/sockets.ts";
import type { EnvironmentProcess, ExecOptions, ExecResult } from "../runtime.ts";
import { copyIntoGuest, copyOutOfGuest } from "./guest_copy.ts";
import { definedOnly } from "../../values.ts";
import { execInGuest, spawnInGuest, type Start } from "./guest_exec.ts";
import { forwardToGuest } from "./guest_forward.ts";
import { isUsable, type Link, openLink } from "./guest_link.ts";

/** What a runtime asks of a guest; the semantics are those of `EnvironmentRuntime`'s members. */
export interface Guest {
  exec(command: readonly string[], options?: ExecOptions): Promise<ExecResult>;
  spawn(command: readonly string[], options?: Pick<ExecOptions, "cwd" | "env">): Promise<EnvironmentProcess>;
  copyIn(hostPath: string, envPath: string): Promise<void>;
  copyOut(envPath: string, hostPath: string): Promise<void>;
  /** The listener on the host's loopback stays until `close`, also over a rollback. @throws {PthError} `PORT_TAKEN` */
  forward(envPort: number, hostPort?: number): Promise<number>;
  /** Connects and starts the agent, if that is still to be done. @throws {PthError} `ENVIRONMENT_LOST` */
  ready(): Promise<void>;
  /**
   * Whether anything below the folder may have changed since this was asked before; true where that cannot be told.
   * @param apart Names of folders that do not count.
   */
  hasChanged(folder: string, apart: readonly string[]): Promise<boolean>;
  /** The host's time becomes the guest's. */
  setClock(): Promise<void>;
  /** How commands are run, for people; undefined before the first. */
  readonly how: string | undefined;
  /** The machine went back in time or was started anew: what PTH had run in it is ended at the next connection. */
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
  /** How long a machine may take until SSH answers, in ms; default 60,000. */
  connectMs?: number;
  /** Asked before each further try to connect; throws where there is no machine any more that could answer. */
  mustLive?: () => Promise<void>;
}

/** How often a connection that is lost at once is opened anew before that is told. */
const linkTries = 5;

export function openGuest(options: GuestOptions): Guest {
  const { target, connectMs = 60_000 } = options;
  const forwards = new Map<number, Promise<Listener>>();
  const kept = new Set<Promise<Listener>>();
  const keep = (envPort: number, listener: Promise<Listener>) => {
    kept.add(listener);
    forwards.set(envPort, listener);
    listener.catch(() => { // whoever asked for it is told
      kept.delete(listener);
      if (forwards.get(envPort) === listener) forwards.delete(envPort);
    });
  };
  // Connections of other processes to the same machine share it.
  const scope = (options.env.PTH_ENVIRONMENT ?? crypto.randomUUID()).replaceAll(/[^A-Za-z0-9-]/g, "-");
  let current: Promise<Link> | undefined;
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
        ...definedOnly({ before, mustLive: options.mustLive }),
      });
      before = opened;
      how = opened.runner.how;
      return opened;
    } catch (error) {
      wentBack ||= afresh;
      throw error;
    }
  };
  /** The kept connection, or a new one for all who ask meanwhile. */
  const link = async (tries = linkTries): Promise<Link> => {
    if (closed) throw letGo();
    if (tries === 0) throw neverLasts();
    const asked = current ??= open();
    const opened = await asked.catch((error) => {
      if (current === asked) current = undefined;
      throw error;
    });
    if (isUsable(opened)) return opened;
    if (current === asked) current = undefined;
    return await link(tries - 1);
  };
  const start: Start = async (order) => {
    for (let tries = 0; tries < linkTries; tries++) {
      const command = await (await link()).runner.start(order);
      if (command !== undefined) return command;
    }
    throw neverLasts();
  };
  const orderOf = (command: readonly string[], given: Pick<ExecOptions, "cwd" | "env"> = {}) => ({
    command,
    cwd: posix.resolve(options.sourcePath, given.cwd ?? "."),
    env: { ...options.env, ...given.env },
  });
  const forget = (leave: (connection: SshConnection) => Promise<void> | void) => {
    const old = current;
    current = undefined;
    connecting.abort(letGo());
    connecting = new AbortController();
    return old?.then(({ connection }) => leave(connection), () => {}); // one that never opened needs no end
  };

  return {
    exec: (command, given = {}) => execInGuest(start, orderOf(command, given), given),
    spawn: (command, given) => spawnInGuest(start, orderOf(command, given)),
    copyIn: (hostPath, envPath) => copyIntoGuest(start, hostPath, posix.resolve(options.sourcePath, envPath)),
    copyOut: (envPath, hostPath) =>
      copyOutOfGuest(start, posix.resolve(options.sourcePath, envPath), hostPath),
    async forward(envPort, hostPort) {
      if (closed) throw letGo();
      // Servers that follow each other on a port share one listener.
      const known = hostPort === undefined ? forwards.get(envPort) : undefined;
      const listener = known ?? forwardToGuest(async () => (await link()).connection, envPort, hostPort ?? 0);
      if (known === undefined) keep(envPort, listener);
      return (await listener).port;
    },
    async ready() {
      await link();
    },
    hasChanged: async (folder, apart) => await (await link()).runner.hasChanged(folder, apart),
    async setClock() {
      await link(); // may take seconds
      const now = `@${(Date.now() / 1000).toFixed(3)}`;
      const { code, stderr } = await execInGuest(start, orderOf(["date", "-u", "-s", now], { cwd: "/" }), {});
      if (code !== 0) throw new PthError("EXEC_FAILED", `Cannot set the guest's clock: ${stderr.trim()}`);
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

const letGo = () => new PthError("ENVIRONMENT_LOST", "Cannot reach the guest: it was let go of meanwhile");
