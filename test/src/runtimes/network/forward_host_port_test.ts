// The relay of a host's port by this host's own Node, as if it were inside an environment.
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import t, { type Test } from "tap";
import { spawnProcess } from "../../../../src/platform/process.ts";
import { forwardHostPort } from "../../../../src/runtimes/network/forward_host_port.ts";
import type { EnvironmentProcess } from "../../../../src/runtimes/runtime.ts";

t.setTimeout(60_000);

/** Starts commands here. */
async function spawn(command: readonly string[]): Promise<EnvironmentProcess> {
  const child = await spawnProcess([...command]);
  const { pid, stdin, stdout, stderr, exited } = child;
  return { pid, stdin, stdout, stderr, exited, kill: (signal) => Promise.resolve(void child.kill(signal)) };
}

/** A relay whose process is another program. */
const withProgram = (script: string) => () => spawn(["node", "-e", script]);

async function listen(t: Test, onConnection: (socket: Socket) => void): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {}); // a cut one is what some tests are about
    onConnection(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  return (server.address() as { port: number }).port;
}

/** Says something, ends its side, and resolves to what it hears until the other side ends, too. */
const ask = (port: number, text: string): Promise<string> =>
  new Promise((resolve) => {
    let heard = "";
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () => socket.end(text));
    socket.on("data", (piece) => heard += piece);
    socket.on("error", () => {}); // it is closed then
    socket.once("close", () => resolve(heard));
  });

const echo = (socket: Socket) => void socket.pipe(socket);

t.test("places are used again, however many connections come", async (t) => {
  const forward = await forwardHostPort(spawn, await listen(t, echo));
  t.teardown(() => forward.close());
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, index) => ask(forward.port, `n${index}`)),
    );
    t.same(answers, Array.from({ length: 300 }, (_, index) => `n${index}`), `round ${round + 1} of 300`);
  }
});

t.test("one who does not read holds up nobody, and ends with the relay", async (t) => {
  const port = await listen(t, (socket) => {
    socket.once("data", (piece) => {
      if (String(piece) !== "much") return void socket.end(piece);
      socket.end(Buffer.alloc(64 * 1024 * 1024));
    });
  });
  const forward = await forwardHostPort(spawn, port);
  t.teardown(() => forward.close());
  const idle = connect({ port: forward.port, host: "127.0.0.1" });
  idle.on("error", () => {}); // the relay's end cuts it
  idle.pause();
  idle.write("much");
  t.equal(await ask(forward.port, "little"), "little");
  t.equal(await ask(forward.port, "once more"), "once more");
  const closed = new Promise((resolve) => idle.once("close", resolve));
  await forward.close();
  idle.resume();
  await closed;
});

t.test("a process that keeps to no protocol is ended, and its reason told", async (t) => {
  const port = await listen(t, echo);
  const begin = `
    const frame = (kind, id, payload = "") => {
      const head = Buffer.alloc(9);
      head.write(kind);
      head.writeUInt32BE(id, 1);
      head.writeUInt32BE(payload.length, 5);
      process.stdout.write(Buffer.concat([head, Buffer.from(payload)]));
    };
    frame("L", 1);
    setInterval(() => {}, 1000);`;
  const cases: [what: string, script: string, reason: RegExp][] = [
    ["an id that comes again", `frame("O", 1); frame("O", 1);`, /connection 1 begins after 1/],
    ["a connection that has not begun", `frame("D", 5, "x");`, /connection 5, which has not begun/],
    ["a kind that there is not", `frame("O", 1); frame("?", 1);`, /no kind: "\?"/],
    ["too many connections", `for (let id = 1; id < 300; id++) frame("O", id);`, /more than 256 connections/],
    ["a frame without measure", `frame("O", 1); frame("D", 1, "x".repeat(70000));`, /frame of 70000 bytes/],
    ["data behind the end", `frame("O", 1); frame("D", 1); frame("D", 1, "x");`, /data behind its end/],
  ];
  await Promise.all(cases.map(async ([what, script, reason]) => {
    const forward = await forwardHostPort(withProgram(begin + script), port);
    t.match(await forward.lost, { code: "ENVIRONMENT_LOST", message: reason }, what);
    await forward.close();
  }));
});

t.test("an environment without Node, and a relay that cannot start, are told apart", async (t) => {
  await t.rejects(forwardHostPort(() => spawn(["sh", "-c", "echo node: not found >&2; exit 127"]), 1), {
    code: "UNSUPPORTED",
    message: /no Node\.js inside/,
  });
  await t.rejects(forwardHostPort(withProgram("console.error('no loopback'); process.exit(3)"), 1), {
    code: "EXEC_FAILED",
    message: /it ended with 3/,
    context: { output: "no loopback" },
  });
});

t.test("an abort while it begins leaves no process", async (t) => {
  const stop = new AbortController();
  let started: EnvironmentProcess | undefined;
  const begun = forwardHostPort(
    async () => {
      started = await withProgram("process.stdin.on('end', () => process.exit()).resume()")();
      stop.abort(new Error("enough"));
      return started;
    },
    1,
    stop.signal,
  );
  await t.rejects(begun, { message: "enough" });
  t.match(await started!.exited, { code: 0 }, "the end of its input ended it");
});
