/**
 * Sockets that are files, by Deno's own calls: what Deno's `node:net` listens on there is inherited by every process that
 * is started, so that a server under test could answer in place of the one that listens.
 */
import { Duplex } from "node:stream";
import { platform } from "./deno.ts";
import { log } from "./log.ts";

/** Stops listening; what is connected stays. */
export type StopListening = () => void;

/** @throws Deno's own error where that cannot be */
export function listenByDeno(path: string, onConnection: (socket: Duplex) => void): StopListening {
  const listener = platform.listen({ transport: "unix", path });
  listener.unref();
  const take = async () => {
    for await (const connection of listener) onConnection(duplexOf(connection));
  };
  take().catch((error) => log.warn("Cannot take in who connects any more", { path, error }));
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
