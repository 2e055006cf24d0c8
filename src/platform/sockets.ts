/** TCP on the host's loopback, and sockets that are files, the same on Deno and Node. */
import { connect as netConnect, createServer, type Socket } from "node:net";
import { PthError } from "../core/errors.ts";
import { isDeno, platform } from "./deno.ts";
import { chmod, removeIfExists } from "./files.ts";
import { log } from "./log.ts";
import { Duplex } from "node:stream";

export interface Listener {
  port: number;
  /** Stops listening and drops what is connected. */
  close(): Promise<void>;
}

/**
 * Listens on 127.0.0.1; port 0 takes a free one.
 * @throws {PthError} `PORT_TAKEN` when someone holds the port, or may not use it
 */
export function listenOnLoopback(port: number, onConnection: (socket: Socket) => void): Promise<Listener> {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    socket.on("error", () => socket.destroy());
    onConnection(socket);
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of open) socket.destroy();
    });
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const why = cause.code === "EADDRINUSE" ? "something else listens there" : cause.message;
      reject(
        new PthError("PORT_TAKEN", `Cannot listen on port ${port}: ${why}`, {
          next: [
            "Let PTH choose a free port: write {port} in the url",
            `See who holds it: ss -ltnp 'sport = :${port}'`,
          ],
        }, { cause }),
      );
    });
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      resolve({ port: typeof address === "object" && address ? address.port : port, close });
    });
  });
}

/** Connects; undefined if nothing answers there in time. */
export function tryConnect(host: string, port: number, withinMs: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = netConnect({ host, port, allowHalfOpen: true });
    const fail = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(undefined);
    };
    const timer = setTimeout(fail, withinMs);
    socket.once("error", fail);
    socket.once("connect", () => {
      clearTimeout(timer);
      socket.off("error", fail);
      socket.on("error", () => socket.destroy());
      resolve(socket);
    });
  });
}

/**
 * A port to begin with where one is looked for that a server is to listen on: below what kernels hand out (32768 and up),
 * and hardly one that another process has chosen, whose server has yet to listen there.
 */
export const randomPort = (): number => 21_000 + Math.floor(Math.random() * 9_000);

/**
 * The first port from `start` on at which nothing listens.
 * @throws {PthError} `PORT_TAKEN` after 200 tries
 */
export async function freePortFrom(start: number): Promise<number> {
  for (let port = start; port < start + 200; port++) {
    try {
      await (await listenOnLoopback(port, (socket) => socket.destroy())).close();
      return port;
    } catch (error) {
      if (!(error instanceof PthError) || error.code !== "PORT_TAKEN") throw error;
    }
  }
  throw new PthError("PORT_TAKEN", `Cannot find a free port: ${start} to ${start + 199} are taken`);
}

export interface FileListener {
  /** Stops listening, drops what is connected, and removes the file. */
  close(): Promise<void>;
}

/**
 * Listens at a path that does not exist yet; only this user may connect, and no process that is started gets hold of
 * it. It keeps no process alive.
 * @throws the platform's own error where that cannot be
 */
export async function listenAtPath(
  path: string,
  onConnection: (socket: Duplex) => void,
): Promise<FileListener> {
  const open = new Set<Duplex>();
  const stop = await (isDeno ? listenByDeno : listenByNode)(path, (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    socket.on("error", () => socket.destroy());
    onConnection(socket);
  });
  await chmod(path, 0o600);
  return {
    close: async () => {
      const stopped = stop();
      for (const socket of open) socket.destroy();
      await stopped;
      await removeIfExists(path);
    },
  };
}

async function listenByNode(path: string, onConnection: (socket: Duplex) => void) {
  const server = createServer(onConnection);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      server.on("error", (error) => log.warn("Cannot accept connections", { path, error }));
      resolve();
    });
  });
  server.unref();
  return () => new Promise<void>((resolve) => server.close(() => resolve()));
}

/** Connects to a socket that is a file. @throws the platform's own error where nothing listens there */
export function connectToPath(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = netConnect({ path });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      socket.on("error", () => socket.destroy());
      resolve(socket);
    });
  });
}

/** Stops listening; what is connected stays. */
type StopListening = () => void;

/** @throws Deno's own error where that cannot be */
function listenByDeno(path: string, onConnection: (socket: Duplex) => void): StopListening {
  const listener = platform.listen({ transport: "unix", path });
  listener.unref();
  const take = async () => {
    for await (const connection of listener) onConnection(duplexOf(connection));
  };
  take().catch((error) => log.warn("Cannot accept connections any more", { path, error }));
  return () => listener.close();
}

const pieceBytes = 64 * 1024;

function duplexOf(connection: Deno.Conn): Duplex {
  const stream: Duplex = new Duplex({
    allowHalfOpen: false,
    read() {
      const piece = new Uint8Array(pieceBytes);
      connection.read(piece).then(
        (length) => stream.push(length === null ? null : piece.subarray(0, length)),
        (error) => stream.destroy(error),
      );
    },
    write(chunk: Uint8Array, _encoding, done) {
      writeAll(connection, chunk).then(() => done(), done);
    },
    final(done) {
      connection.closeWrite().then(() => done(), done);
    },
    destroy(error, done) {
      connection.close();
      done(error);
    },
  });
  return stream;
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += await connection.write(bytes.subarray(written));
  }
}
