// An agent that does not keep to its protocol: it is dropped, whatever it sends, before it costs memory.
import { Buffer } from "node:buffer";
import { Duplex, PassThrough } from "node:stream";
import t, { type Test } from "tap";
import { greeting, window } from "../../../../../src/runtimes/shared/agent/agent_script.ts";
import { askedWhileBusy, createAgent } from "../../../../../src/runtimes/shared/agent/create_agent.ts";
import { frame, number32 } from "../../../../../src/runtimes/shared/frames.ts";

const request = { command: ["true"], cwd: "/", env: {}, stdin: false };

/** An agent whose side is the test's, and what it said last. */
async function agentOf(t: Test, greets = true) {
  const [fromAgent, toAgent] = [new PassThrough(), new PassThrough()];
  toAgent.resume();
  const io = Duplex.from({ readable: fromAgent, writable: toAgent });
  t.teardown(() => io.destroy());
  const agent = createAgent(io, "unit", greeting, 60_000);
  const say = (...frames: Uint8Array[]) => fromAgent.write(Buffer.concat(frames));
  if (greets) {
    say(Buffer.from(greeting), frame("H", 0, Buffer.from("3.11.2\x0042")));
    t.same(await agent.hello, { python: "3.11.2", pid: 42 });
  }
  return { agent, say };
}

t.test("what it must not say ends the connection, and every command with it", async (t) => {
  const piece = Buffer.alloc(64 * 1024);
  const cases: [string, (id: number) => Uint8Array[]][] = [
    ["a frame longer than any", () => [Buffer.from([0x31, 0, 0, 0, 1, 0x7f, 0xff, 0xff, 0xff])]],
    ["more output than it was allowed", (id) => Array(window / piece.length + 1).fill(frame("1", id, piece))],
    ["a kind that there is not", (id) => [frame("!", id)]],
    ["a pid without its bytes", (id) => [frame("P", id)]],
    ["floods about commands that are over", (id) => Array(200).fill(frame("1", id + 1, piece))],
    ["floods of nothing", (id) => [Buffer.alloc(9_000_000, frame("Q", id + 1))]],
    ["that it is lost", () => [frame("L", 0)]],
  ];
  for (const [what, frames] of cases) {
    const { agent, say } = await agentOf(t);
    const command = agent.order(request)!;
    say(...frames(1));
    t.equal(await command.settled, undefined, what);
    t.equal(agent.isOpen, false, what);
    t.equal(agent.order(request), undefined, `${what}: nothing more is asked of it`);
  }
});

t.test("one that never greets is dropped once it has talked too much", async (t) => {
  const { agent, say } = await agentOf(t, false);
  for (let sent = 0; sent < 20; sent++) say(Buffer.alloc(64 * 1024, "."));
  t.equal(await agent.hello, undefined);
  t.equal(agent.isOpen, false);
});

t.test("a command that it did not begin is told apart from one that was lost", async (t) => {
  const { agent, say } = await agentOf(t);
  const [refused, lost] = [agent.order(request)!, agent.order(request)!];
  say(frame("N", 1), frame("P", 2, number32(7)), frame("1", 2, Buffer.from("half")));
  t.equal(await refused.started, "not begun");
  t.equal(await lost.started, "yes");
  say(frame("L", 0));
  t.equal(await lost.settled, undefined);
  const third = agent.order(request);
  t.equal(third, undefined);
});

t.test("output that nobody reads is not taken, and what was read makes room", async (t) => {
  const { agent, say } = await agentOf(t);
  const command = agent.order(request)!;
  const piece = Buffer.alloc(64 * 1024, "x");
  let heard = 0;
  command.stdout.on("data", (chunk: Buffer) => heard += chunk.length);
  for (let sent = 0; sent < 4 * window; sent += piece.length) {
    say(frame("1", 1, piece));
    await new Promise((resolve) => setImmediate(resolve));
  }
  say(frame("1", 1), frame("2", 1), frame("X", 1, number32(0)));
  t.same(await command.settled, { code: 0, signal: null });
  t.equal(heard, 4 * window);
  t.equal(agent.isOpen, true);
});

t.test("one that does not answer while it is waited for is given up, and one that rests is not", async (t) => {
  const { agent, say } = await agentOf(t);
  let rests = true;
  const alive = setInterval(() => {}, 1000); // the clock that asks keeps no process from its end
  t.teardown(() => clearInterval(alive));
  const givenUp = new Promise<string>((resolve) => {
    askedWhileBusy(agent, () => rests, () => resolve(rests ? "while it rested" : "in time"), 1);
  });
  agent.order(request);
  await new Promise((resolve) => setTimeout(resolve, 30));
  rests = false;
  t.equal(await givenUp, "in time");
  say(frame("L", 0));
});
