import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import type { Test } from "tap";
import { eventually, type Living, type Part, skipped } from "./context.ts";

/**
 * Makes connections inside, so many at a time, and prints how many got which answer, by size and hash. What is asked goes in
 * one line before the body.
 */
const client = `
const net = require("net");
const [port, count, atOnce, ask, bytes] = process.argv.slice(1);
const seen = {};
const one = (done) => {
  const hash = require("crypto").createHash("sha256");
  let size = 0;
  const socket = net.connect({ port: Number(port), host: "127.0.0.1", allowHalfOpen: true }, () => {
    socket.write(ask + "\\n", () => ask === "leave" && socket.resetAndDestroy());
    if (ask !== "hold" && ask !== "leave") socket.end(Buffer.alloc(Number(bytes), "x"));
  });
  socket.on("data", (piece) => { hash.update(piece); size += piece.length; });
  socket.on("end", () => socket.end());
  socket.on("error", () => {});
  socket.on("close", () => {
    const got = size === 0 ? "nothing" : size + " " + hash.digest("hex").slice(0, 8);
    seen[got] = (seen[got] || 0) + 1;
    done();
  });
};
let left = Number(count), open = 0;
const more = () => {
  while (left > 0 && open < Number(atOnce)) { left--; open++; one(() => { open--; more(); }); }
  if (left === 0 && open === 0) console.log(JSON.stringify(seen));
};
more();
`;

/** Kills who listens at a port inside. */
const killListener = `
const fs = require("fs");
const port = Number(process.argv[1]).toString(16).toUpperCase().padStart(4, "0");
const rows = fs.readFileSync("/proc/net/tcp", "utf8").split("\\n").map((line) => line.trim().split(/\\s+/));
const row = rows.find((row) => row[3] === "0A" && row[1].endsWith(":" + port));
for (const pid of fs.readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name))) {
  try {
    const fds = fs.readdirSync("/proc/" + pid + "/fd").map((fd) => fs.readlinkSync("/proc/" + pid + "/fd/" + fd));
    if (fds.includes("socket:[" + row[9] + "]")) process.kill(Number(pid), "SIGKILL");
  } catch (_) {
    // It has ended meanwhile.
  }
}
`;

const answer = (size: number) =>
  `${size} ${createHash("sha256").update(Buffer.alloc(size, "y")).digest("hex").slice(0, 8)}`;

/** A service that answers what the first line asks for once its body has come: so many bytes, a cut, or nothing at all. */
async function service(
  t: Test,
): Promise<{ port: number; server: Server; bodies: number[]; open: Set<Socket> }> {
  const bodies: number[] = [];
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    let text = "";
    let size = 0;
    socket.on("error", () => {});
    socket.on("close", () => open.delete(socket));
    socket.on("data", (piece: Buffer) => {
      size += piece.length;
      if (!text.includes("\n")) text += piece.toString("latin1", 0, 20);
      if (text.startsWith("reset\n")) socket.resetAndDestroy();
    });
    socket.on("end", () => {
      bodies.push(size - text.indexOf("\n") - 1);
      socket.end(Buffer.alloc(Number.parseInt(text) || 0, "y"));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return { port: (server.address() as { port: number }).port, server, bodies, open };
}

/** forwardHostPort. */
export const hostPortPart: Part = async (t, living) => {
  const { runtime, handle, outputMB } = living;
  const { port, server, bodies, open } = await service(t);
  const forward = await runtime.forwardHostPort(handle, port);
  t.teardown(() => forward.close());
  const connect = async (count: number, atOnce: number, ask: string | number, bytes = 0) => {
    const words = [forward.port, count, atOnce, ask, bytes].map(String);
    const { stdout, stderr } = await runtime.exec(handle, ["node", "-e", client, ...words]);
    return stdout === "" ? stderr : JSON.parse(stdout);
  };

  await t.test("a port of the host's loopback is reached from inside, by many connections", async (t) => {
    // Beyond 256 places are used again; where each takes long, the relay's own test has shown it.
    const [many, atOnce] = outputMB === undefined ? [300, 260] : [20, 10];
    t.same(await connect(many, 10, 3), { [answer(3)]: many }, "ten at a time");
    t.same(await connect(atOnce, atOnce, 70), { [answer(70)]: atOnce }, "all at the same time");
    t.same(bodies, Array(many + atOnce).fill(0));
    t.ok(await eventually(() => Promise.resolve(open.size === 0)), "none is left");
  });

  await t.test("large bodies pass whole, both ways, after which the client has ended its side", async (t) => {
    const size = 3_000_000;
    bodies.length = 0;
    t.same(await connect(3, 3, size, size), { [answer(size)]: 3 });
    t.same(bodies, [size, size, size]);
  });

  await t.test("what one side cuts is closed on the other", async (t) => {
    t.same(await connect(5, 1, "reset"), { nothing: 5 }, "by the service");
    t.same(await connect(5, 1, "leave"), { nothing: 5 }, "by the client");
    t.ok(await eventually(() => Promise.resolve(open.size === 0)));
    t.same(await connect(1, 1, 5), { [answer(5)]: 1 }, "the next one is answered");
  });

  await t.test("a service that has gone is as one that nobody listens for", async (t) => {
    server.close();
    t.same(await connect(3, 1, 3), { nothing: 3 });
  });

  await endings(t, living);
};

/** Its end, by whoever. */
async function endings(t: Test, living: Living): Promise<void> {
  const { runtime, handle } = living;
  await t.test("a forwarded port of the host that was closed leads nowhere, and is not told as lost", async (t) => {
    const { port } = await service(t);
    const forward = await runtime.forwardHostPort(handle, port);
    await forward.close();
    await forward.close();
    if (forward.port === port) return skipped(t, "the environment has the host's loopback");
    const { stdout } = await runtime.exec(handle, [
      "node",
      "-e",
      client,
      String(forward.port),
      "1",
      "1",
      "3",
      "0",
    ]);
    t.same(JSON.parse(stdout), { nothing: 1 });
    t.equal(await Promise.race([forward.lost, Promise.resolve("not lost")]), "not lost");
  });

  await t.test("the loss of what carries it is told, and its connections are cut", async (t) => {
    const { port, server } = await service(t);
    const forward = await runtime.forwardHostPort(handle, port);
    if (forward.port === port) return skipped(t, "the environment has the host's loopback");
    const held = await runtime.spawn(handle, [
      "node",
      "-e",
      client,
      String(forward.port),
      "1",
      "1",
      "hold",
      "0",
    ]);
    const [socket] = await once(server, "connection") as [Socket];
    const cut = new Promise((resolve) => socket.once("close", resolve));
    await runtime.exec(handle, ["node", "-e", killListener, String(forward.port)]);
    t.match(await forward.lost, { code: "ENVIRONMENT_LOST", message: /its relay inside was lost/ });
    await cut;
    await held.exited;
    await forward.close();
  });

  await t.test("an abort ends the beginning of one", async (t) => {
    const error = await runtime.forwardHostPort(handle, 1, AbortSignal.abort(new Error("enough")))
      .then(() => undefined, (cause: unknown) => cause);
    if (error === undefined) return skipped(t, "the environment has the host's loopback");
    t.match(error, { message: "enough" });
  });
}
