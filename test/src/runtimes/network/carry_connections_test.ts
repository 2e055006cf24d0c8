// The host's end of a relay, frame by frame.
import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import { Duplex, PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import t from "tap";
import { carryConnections, relayLimits } from "../../../../src/runtimes/network/carry_connections.ts";
import { createFrameReader, frame } from "../../../../src/runtimes/shared/frames.ts";

/** What a service's socket has, for as long as it stays open. */
function socketOf(): Socket {
  const socket: Duplex = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  return Object.assign(socket, { resetAndDestroy: () => socket.destroy() }) as unknown as Socket;
}

function open(connect: () => Promise<Socket | undefined>) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const said: string[] = [];
  const broken: string[] = [];
  stdin.on("data", createFrameReader(({ kind, id }) => said.push(`${kind}${id}`)));
  const end = carryConnections({
    stdin,
    stdout,
    connect,
    onListening: () => {},
    onBroken: (reason) => broken.push(reason),
  });
  return { said, broken, end, hear: (...frames: Buffer[]) => void stdout.write(Buffer.concat(frames)) };
}

/** Until streams and promises have come to rest. */
const rest = async () => {
  for (let turns = 0; turns < 20; turns++) await turn();
};

t.test("a place is free here as soon as its end is told, and not before", async (t) => {
  const { said, broken, hear } = open(() => Promise.resolve(socketOf()));
  const ids = Array.from({ length: relayLimits.places }, (_, index) => index + 1);
  hear(...ids.map((id) => frame("O", id)));
  await rest();
  for (let id = relayLimits.places + 1; id <= relayLimits.places + 300; id++) {
    const left = id - relayLimits.places;
    hear(frame("C", left));
    while (!said.includes(`C${left}`)) await turn();
    hear(frame("O", id));
  }
  await rest();
  t.same(broken, [], "300 more came one by one");
  hear(frame("O", relayLimits.places + 301));
  await rest();
  t.match(broken, [/more than 256 connections/]);
});

t.test("a connection that nobody takes is closed, and what is said of it later counts for nothing", async (t) => {
  const { said, broken, hear, end } = open(() => Promise.resolve(undefined));
  hear(frame("O", 1), frame("D", 1, Buffer.from("x")));
  await rest();
  hear(frame("D", 1, Buffer.from("y")), frame("D", 1), frame("C", 1));
  await rest();
  t.same(said, ["C1"]);
  t.same(broken, []);
  end();
});

t.test("more than the window holds breaks it off, also while the service does not answer yet", async (t) => {
  const { broken, hear } = open(() => new Promise(() => {}));
  const piece = Buffer.alloc(64 * 1024);
  hear(frame("O", 1));
  const windowful = () => {
    for (let bytes = 0; bytes < relayLimits.window; bytes += piece.length) hear(frame("D", 1, piece));
    return rest();
  };
  await windowful();
  t.same(broken, []);
  await windowful();
  t.match(broken, [/more data than the window/]);
});
