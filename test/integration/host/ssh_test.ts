// test: timeout=180
// What goes wrong between the host and a guest over SSH, on a real sshd.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import t, { type Test } from "tap";
import { PthError } from "../../../src/core/errors.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { connectSsh, sshProblem, type SshTarget } from "../../../src/platform/ssh.ts";
import { openGuest } from "../../../src/runtimes/vm/guest.ts";
import { eventually, freePort } from "../../contracts/runtime/context.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { startSshd, whyNoSshd, withoutPython } from "./ssh_server.ts";

t.setTimeout(180_000);
const skip = whyNoSshd() ?? false;

async function problemOf(t: Test, target: SshTarget, options = {}): Promise<unknown> {
  const error = await connectSsh(target, options).then(() => undefined, (cause: unknown) => cause);
  t.ok(error instanceof PthError, `${error}`);
  t.match((error as PthError).context.next?.[0], /\w/);
  return sshProblem(error);
}

/** Accepts, and then acts upon the socket. */
async function listener(t: Test, act: (socket: Socket) => void): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on("error", () => {});
    t.teardown(() => socket.destroy());
    act(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  return (server.address() as { port: number }).port;
}

async function newKey(t: Test): Promise<string> {
  const file = join(await temporaryFolder(t), "key");
  await runCommand(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file]);
  return await readFile(file, "utf8");
}

/** Pids of the processes that sleep so long. */
const sleeping = async (word: string) => (await runCommand(["pgrep", "-f", `^sleep ${word}`])).stdout.trim();

const guestAt = (t: Test, target: () => SshTarget, connectMs = 30_000) => {
  const guest = openGuest({ target, sourcePath: "/", env: {}, connectMs });
  t.teardown(() => guest.close());
  return guest;
};

await t.test("reasons for no connection are told apart", { skip }, async (t) => {
  const { target } = await startSshd(t);
  const other = await temporaryFolder(t);
  for (const name of ["a", "b"]) {
    await runCommand(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", join(other, name)]);
  }
  const [wrong, alien] = [
    await readFile(join(other, "a"), "utf8"),
    await readFile(join(other, "b.pub"), "utf8"),
  ];

  t.equal(await problemOf(t, { ...target, privateKey: wrong }), "wrong-key");
  t.equal(await problemOf(t, { ...target, privateKey: "no key at all" }), "wrong-key");
  t.equal(await problemOf(t, { ...target, hostKey: alien }), "host-key");
  t.equal(await problemOf(t, { ...target, port: await freePort() }), "not-answering", "nobody listens");
  const silent = await listener(t, () => {});
  t.equal(
    await problemOf(t, { ...target, port: silent }, { answerMs: 200 }),
    "not-answering",
    "says nothing",
  );
  const rude = await listener(t, (socket) => socket.destroy());
  t.equal(await problemOf(t, { ...target, port: rude }), "not-answering", "hangs up");
  const web = await listener(t, (socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  t.not(
    await problemOf(t, { ...target, port: web }, { timeoutMs: 2000 }),
    undefined,
    "speaks something else",
  );
});

await t.test("an abort ends connecting with its reason", { skip }, async (t) => {
  const { target } = await startSshd(t);
  const port = await listener(t, () => {});
  const reason = new Error("enough");
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), 50);
  t.equal(
    await connectSsh({ ...target, port }, { signal: controller.signal }).catch((error) => error),
    reason,
  );
});

await t.test("a server that comes up late is waited for", { skip }, async (t) => {
  const { target } = await startSshd(t);
  let asked = 0;
  const nobody = await freePort();
  const guest = guestAt(t, () => ++asked < 4 ? { ...target, port: nobody } : target);
  t.equal((await guest.exec(["echo", "up"])).stdout, "up\n");
});

await t.test("a wrong key is not tried for long", { skip }, async (t) => {
  const { target } = await startSshd(t);
  const guest = guestAt(t, () => ({ ...target, privateKey: "no key" }), 60_000);
  const started = performance.now();
  await t.rejects(guest.exec(["true"]), { code: "ENVIRONMENT_LOST", context: { problem: "wrong-key" } });
  t.ok(performance.now() - started < 30_000);
});

await t.test(
  "a cut connection ends what ran over it, and the next command connects anew",
  { skip },
  async (t) => {
    const server = await startSshd(t);
    const guest = guestAt(t, () => server.target);
    const word = `9${process.pid}${Date.now() % 100000}`;
    const child = await guest.spawn(["sleep", word]);
    const running = guest.exec(["sh", "-c", `echo begun; sleep ${word}`], {
      onOutput: () => void server.cut(),
    });
    await t.rejects(running, { code: "ENVIRONMENT_LOST", context: { transient: false } });
    t.same(await child.exited, { code: null, signal: "SIGKILL" });
    await child.kill("SIGTERM");
    t.equal((await guest.exec(["echo", "again"])).stdout, "again\n");
    t.ok(await eventually(async () => await sleeping(word) === ""), "the agent ends what it had started");
  },
);

await t.test("a server that is gone is told in time", { skip }, async (t) => {
  const server = await startSshd(t);
  const guest = guestAt(t, () => server.target, 3000);
  t.equal((await guest.exec(["true"])).code, 0);
  await server.stop();
  await Promise.all([
    t.rejects(guest.exec(["true"]), { code: "ENVIRONMENT_LOST" }),
    t.rejects(guest.copyIn("/etc/hostname", "/tmp/never"), { code: "ENVIRONMENT_LOST" }),
  ]);
  await guest.close();
  await t.rejects(guest.exec(["true"]), { code: "ENVIRONMENT_LOST", message: /closed meanwhile/ });
});

await t.test("after a machine went back in time nothing of before runs on", { skip }, async (t) => {
  const server = await startSshd(t);
  const guest = guestAt(t, () => server.target);
  const word = `8${process.pid}${Date.now() % 100000}`;
  const neighbour = guestAt(t, () => server.target);
  const theirs = await neighbour.spawn(["sleep", `1${word}`]);
  // As memory restored has it: what PTH started lives on, its connection does not.
  await guest.exec(["sh", "-c", `setsid sleep ${word} >/dev/null 2>&1 &`]);
  // What a shell leaves in the background, and what is told to have a pid, may have yet to become the program.
  t.ok(await eventually(async () => await sleeping(word) !== ""), "it sleeps");
  t.ok(await eventually(async () => await sleeping(`1${word}`) !== ""), "so does the neighbour's");
  guest.dropped();
  await guest.ready();
  t.equal(await sleeping(word), "");
  t.equal(await sleeping(`1${word}`), String(theirs.pid), "another guest's does");
  await theirs.kill("SIGKILL");
});

await t.test("what waits for a machine that went back in time ends at once", { skip }, async (t) => {
  const server = await startSshd(t);
  const guest = guestAt(t, () => server.target);
  const child = await guest.spawn(["sleep", "600"]);
  let begun = () => {};
  const begins = new Promise<void>((resolve) => begun = resolve);
  const running = guest.exec(["sh", "-c", "echo up; exec sleep 600"], { onOutput: () => begun() });
  const lost = t.rejects(running, { code: "ENVIRONMENT_LOST" });
  await begins;
  await server.freeze();
  const dropped = performance.now();
  guest.dropped();
  t.equal((await child.exited).signal, "SIGKILL");
  await lost;
  t.ok(performance.now() - dropped < 10_000, "nobody waits for a goodbye");
  t.equal((await guest.exec(["true"])).code, 0);
});

await t.test("who waits for a guest that does not answer yet can stop, and so can the guest", async (t) => {
  const port = await listener(t, () => {});
  const target = { host: "127.0.0.1", port, username: "root", privateKey: await newKey(t) };
  const guest = guestAt(t, () => target, 60_000);
  const begun = performance.now();
  const reason = new Error("enough");
  const controller = new AbortController();
  const stopped = guest.exec(["true"], { signal: controller.signal }).catch((error) => error);
  const waiting = guest.exec(["true"]).catch((error) => error);
  await wait(100);
  controller.abort(reason);
  t.equal(await stopped, reason);
  await guest.close();
  t.match(await waiting, { code: "ENVIRONMENT_LOST", message: /closed meanwhile/ });
  t.ok(performance.now() - begun < 30_000);
});

await t.test(
  "a forwarded port outlives its connection, and is given back in the end",
  { skip },
  async (t) => {
    const server = await startSshd(t);
    const guest = guestAt(t, () => server.target);
    const inside = await listener(t, (socket) => socket.end("hello"));
    const port = await guest.forward(inside);
    const ask = () => text(connect(port, "127.0.0.1"));
    t.equal(await ask(), "hello");
    t.equal(await guest.forward(inside), port, "one listener for a port");
    for (let cuts = 1; cuts <= 10; cuts++) {
      await server.cut();
      t.equal(await ask(), "hello", `asked before the ${cuts}. cut was noticed`);
    }
    await guest.close();
    await t.rejects(ask(), { code: "ECONNREFUSED" }, "closed");
    await t.rejects(guest.forward(inside), { code: "ENVIRONMENT_LOST", message: /closed meanwhile/ });
  },
);

await t.test("an answer that a lost connection cuts short does not seem whole", { skip }, async (t) => {
  const server = await startSshd(t);
  const guest = guestAt(t, () => server.target);
  const port = await guest.forward(await listener(t, (socket) => socket.write("half of")));
  const client = connect(port, "127.0.0.1");
  client.once("data", () => void server.cut());
  await t.rejects(text(client), { code: "ECONNRESET" });
  const refused = await guest.forward(await freePort());
  await t.rejects(text(connect(refused, "127.0.0.1")), { code: "ECONNRESET" }, "nobody listens");
});

await t.test("an agent that is killed is replaced, and what it had run is ended", { skip }, async (t) => {
  const server = await startSshd(t);
  const guest = openGuest({
    target: () => server.target,
    sourcePath: "/",
    env: { PTH_ENVIRONMENT: `killed-${process.pid}` },
  });
  t.teardown(() => guest.close());
  const port = await guest.forward(await listener(t, (socket) => socket.pipe(socket)));
  const client = connect(port, "127.0.0.1");
  t.teardown(() => client.destroy());
  client.write("before ");
  await once(client, "data");
  const word = `7${process.pid}${Date.now() % 100000}`;
  // Its agent is the parent of what it runs; nothing ends this but the one that follows.
  const child = await guest.spawn([
    "sh",
    "-c",
    `echo $PPID; exec setsid -w sleep ${word} </dev/null >/dev/null 2>&1`,
  ]);
  const [line] = await once(child.stdout, "data");
  process.kill(Number(String(line)), "SIGKILL");
  t.same(await child.exited, { code: null, signal: "SIGKILL" });
  t.equal((await guest.exec(["echo", "again"])).stdout, "again\n");
  t.equal((await runCommand(["pgrep", "-f", `^sleep ${word}`])).stdout, "");
  client.write("after");
  t.equal(String((await once(client, "data"))[0]), "after", "the connection went on");
});

await t.test("a file on its way in ends with its connection, also without an agent", { skip }, async (t) => {
  const server = await startSshd(t, await withoutPython(t));
  const guest = guestAt(t, () => server.target);
  const file = join(await temporaryFolder(t), "large");
  await runCommand(["truncate", "-s", "256M", file]);
  const copy = join(await temporaryFolder(t), "copy");
  const lost = t.rejects(guest.copyIn(file, copy), { code: "ENVIRONMENT_LOST" });
  while (!existsSync(copy)) await wait(5);
  await server.cut();
  await lost;
});

await t.test("a flood that nobody reads holds up nobody else", { skip }, async (t) => {
  const server = await startSshd(t);
  const guest = guestAt(t, () => server.target);
  const flood = await guest.spawn(["sh", "-c", "yes flood"]);
  t.ok(await eventually(() => Promise.resolve(flood.stdout.readableLength > 0)), "it has begun");
  await wait(300);
  t.equal((await guest.exec(["echo", "quick"])).stdout, "quick\n");
  t.ok(flood.stdout.readableLength < 2_000_000, `${flood.stdout.readableLength} bytes wait`);
  await flood.kill("SIGKILL");
  flood.stdout.resume();
  t.equal((await flood.exited).signal, "SIGKILL");
});
