/*
 * Runs inside an environment on Node 14 or newer: listens on its loopback and carries each connection in frames over stdin
 * and stdout to the host's end, `src/runtimes/network/carry_connections.ts`, which says how.
 *
 * node -e <this> <bytes of a window> <connections at a time> <connections that may wait for a place> <port>
 */
"use strict";
const net = require("net");
const [window, places, queue, wanted] = process.argv.slice(1).map(Number);
const head = 9;
const pieceSize = 64 * 1024;
/** Connections by id; an id is never given twice. */
const carried = new Map();
/** Connections that have no place yet. */
const waiting = [];
let last = 0;

const leave = () => process.exit(0);
process.stdout.on("error", leave);

function send(kind, id, payload = Buffer.alloc(0)) {
  const frame = Buffer.alloc(head);
  frame.write(kind, 0, "latin1");
  frame.writeUInt32BE(id, 1);
  frame.writeUInt32BE(payload.length, 5);
  process.stdout.write(Buffer.concat([frame, payload]));
}

const number = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

const reset = (socket) => socket.resetAndDestroy ? socket.resetAndDestroy() : socket.destroy();

const server = net.createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
  socket.on("error", () => {}); // "close" follows
  if (carried.size < places) carry(socket);
  else if (waiting.length < queue) waiting.push(socket);
  else reset(socket);
});
server.once("listening", () => send("L", server.address().port));
// Someone inside may have that port.
server.once("error", () => server.listen(0, "127.0.0.1"));
server.listen(wanted, "127.0.0.1");

function carry(socket) {
  const id = ++last;
  /** Bytes that were read and find no room in the window. */
  let held = Buffer.alloc(0);
  let room = window;
  let ended = false;
  let endSent = false;
  let taken = 0;
  let hostEnded = false;
  let hostClosed = false;
  let gone = false;
  let closed = false;

  const pump = () => {
    while (held.length > 0 && room > 0) {
      const piece = held.slice(0, Math.min(room, pieceSize));
      send("D", id, piece);
      room -= piece.length;
      held = held.slice(piece.length);
    }
    if (held.length > 0) return socket.pause();
    if (ended && !endSent) {
      endSent = true;
      send("D", id);
    }
    socket.resume();
    close();
  };
  /** Closes once the last bytes of the socket have found room; a socket that was cut has none. */
  const close = () => {
    if (!gone || closed || (ended && !endSent && !hostClosed)) return;
    closed = true;
    send("C", id);
    free();
  };
  // The place is free on the host first: there, connections are never more than here.
  const free = () => {
    if (!closed || !hostClosed) return;
    carried.delete(id);
    while (carried.size < places && waiting.length > 0) {
      const next = waiting.shift();
      if (!next.destroyed) carry(next);
    }
  };
  const frames = {
    D(payload) {
      if (payload.length === 0) {
        hostEnded = true;
        socket.end();
        return;
      }
      socket.write(payload, () => {
        taken += payload.length;
        if (taken < window / 4) return;
        send("T", id, number(taken));
        taken = 0;
      });
    },
    T(payload) {
      room += payload.readUInt32BE(0);
      pump();
    },
    C() {
      hostClosed = true;
      close();
      if (!hostEnded) reset(socket);
      else if (socket.writableFinished) socket.destroy();
      else socket.once("finish", () => socket.destroy());
      free();
    },
  };
  carried.set(id, frames);
  send("O", id);
  socket.on("data", (chunk) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    pump();
  });
  socket.on("end", () => {
    ended = true;
    pump();
  });
  socket.on("close", () => {
    gone = true;
    close();
  });
  socket.resume();
}

let rest = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
  rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
  while (rest.length >= head) {
    const end = head + rest.readUInt32BE(5);
    if (rest.length < end) return;
    const frames = carried.get(rest.readUInt32BE(1));
    if (frames !== undefined) frames[rest.toString("latin1", 0, 1)](rest.slice(head, end));
    rest = rest.slice(end);
  }
});
for (const event of ["end", "close", "error"]) process.stdin.on(event, leave);
