// The agent that waits, by this host's own Python, with a socket for a port.
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { Duplex, PassThrough, Writable } from "node:stream";
import t, { type Test } from "tap";
import { runCommand, spawnProcess } from "../../../../src/platform/process.ts";
import { listenAtPath } from "../../../../src/platform/sockets.ts";
import { joinNul } from "../../../../src/runtimes/shared/agent/agent_script.ts";
import { createAgent } from "../../../../src/runtimes/shared/agent/create_agent.ts";
import { guestRunner } from "../../../../src/runtimes/vm/start_agent.ts";
import { createFrameReader, frame, number32 } from "../../../../src/runtimes/shared/frames.ts";
import { greetingTo, portName, waitingScript, wordOf } from "../../../../src/runtimes/vm/waiting_script.ts";
import { execInGuest, spawnInGuest, type Start } from "../../../../src/runtimes/vm/guest_exec.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";

const noPython = await runCommand(["python3", "-c", "import os; os.pidfd_open, os.posix_spawn"])
  .then(({ code, stderr }) => code === 0 ? false : `no fitting python3: ${stderr}`, () => "no python3 here");

const word = wordOf("a key\n");
const patienceMs = 30_000;
const at = { cwd: "/", env: {} };

/** Has Python find a port, which is a socket of this test's. */
const withPort = (path: string): string => `
import builtins, io, os, socket
listed, opened, read = os.listdir, os.open, builtins.open
os.listdir = lambda path="/": ["vport7p2"] if path == "/sys/class/virtio-ports" else listed(path)
builtins.open = lambda path, *rest: io.StringIO("${portName}\\n") if path == "/sys/class/virtio-ports/vport7p2/name" else read(path, *rest)
def port():
    end = socket.socket(socket.AF_UNIX)
    end.connect("${path}")
    end.setblocking(False)
    return end.detach()
os.open = lambda path, *rest: port() if path == "/dev/vport7p2" else opened(path, *rest)
`;

/** A guest of which one stream is left, over which one connection follows the other. */
async function waitingGuest(t: Test): Promise<() => Duplex> {
  const path = join(await temporaryFolder(t), "port");
  let came: (socket: Duplex) => void = () => {};
  const coming = new Promise<Duplex>((resolve) => came = resolve);
  const listener = await listenAtPath(path, (socket) => came(socket));
  t.teardown(() => listener.close());
  const child = await spawnProcess(["python3", "-ISu", "-c", withPort(path) + waitingScript(word)]);
  const socket = await coming;
  t.same(await child.exited, { code: 0, signal: null }, "it goes on by itself");
  let reader: PassThrough | undefined;
  socket.on("data", (piece) => reader?.write(piece));
  return () => {
    const readable = reader = new PassThrough();
    const writable = new Writable({ write: (piece, _, done) => void socket.write(piece, () => done()) });
    return Duplex.from({ readable, writable });
  };
}

/** A new connection's agent, which has said hello. */
async function greeted(io: Duplex, id: string, before: Uint8Array = Buffer.alloc(0)) {
  const agent = createAgent(io, id, greetingTo(id), patienceMs);
  io.write(Buffer.concat([before, word, frame("O", 0, Buffer.from(id))]));
  const hello = await agent.hello;
  const runner = guestRunner(agent, id, "");
  const start: Start = async (order) => (await runner.start(order))!;
  return { ask: agent.ask, isStill: agent.isStill, isBusy: agent.isBusy, runner, hello, start };
}

t.test("whoever says the word begins anew, wherever the stream stood", { skip: noPython }, async (t) => {
  const connect = await waitingGuest(t);
  const stranger = connect();
  stranger.write(frame("O", 0, Buffer.from("scope/stranger")));
  const first = await greeted(connect(), "scope/1");
  t.match(first.hello?.python, /^3\./);
  t.equal(await first.isStill(), true);
  const { stdout } = await execInGuest(first.start, { ...at, command: ["echo", "one"] }, {});
  t.equal(stdout, "one\n");
  const left = await spawnInGuest(first.start, { ...at, command: ["sleep", "1000"] });
  // As a machine that goes back in time has it: in the middle of what another connection said.
  const rest = frame("I", 1, Buffer.alloc(5000)).subarray(0, 700);
  const second = await greeted(connect(), "scope/2", rest);
  t.match(second.hello?.python, /^3\./);
  t.equal(await second.isStill(), true);
  const alive = ["sh", "-c", 'kill -0 "$1" 2>&1 || echo gone', "sh", String(left.pid)];
  t.match((await execInGuest(second.start, { ...at, command: alive }, {})).stdout, /gone\n$/);
  t.equal((await execInGuest(second.start, { ...at, command: ["cat"] }, { stdin: "two" })).stdout, "two");
});

t.test("what no agent says ends the connection, not the agent", { skip: noPython }, async (t) => {
  const connect = await waitingGuest(t);
  const io = connect();
  await greeted(io, "scope/1");
  const lost = new Promise((resolve) => io.once("close", resolve));
  io.write(frame("K", 1, Buffer.from("no numbers")));
  await lost;
  const again = await greeted(connect(), "scope/2");
  t.equal((await execInGuest(again.start, { ...at, command: ["echo", "two"] }, {})).stdout, "two\n");
});

t.test("frames come whole, however the stream is cut", (t) => {
  const bytes = Buffer.concat([
    frame("1", 7, Buffer.from("out")),
    frame("2", 8),
    frame("W", 9, number32(300)),
  ]);
  for (const size of [1, 2, 5, 10, bytes.length]) {
    const seen: string[] = [];
    const read = createFrameReader(({ kind, id, payload }) =>
      seen.push(`${kind}${id}:${payload.toString("hex")}`)
    );
    for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size));
    t.same(seen, ["17:6f7574", "28:", "W9:0000012c"], `pieces of ${size}`);
  }
  t.end();
});

t.test("words are parted by NUL, empty ones kept", (t) => {
  t.equal(joinNul(["a", "", "b c"]).toString("latin1"), "a\0\0b c");
  t.end();
});
