// Asks the Node process PTH_PID for the JavaScript stacks of its threads, through its inspector, which SIGUSR1 opens, and closes
// that again. An expression in an interrupt sees the frames that it interrupts: nothing is paused. Prints one line of JSON.
import fs from "node:fs";
import http from "node:http";
import process from "node:process";

const pid = Number(process.env.PTH_PID);
/** In ms: until the inspector listens, and until the threads have answered. */
const longestOpening = 800;
const longestAnswer = 1000;
const mostWorkers = 20;
const longestMessage = 1 << 20;
const sigusr1 = 1n << 9n;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function fail(unavailable) {
  fs.writeSync(1, `${JSON.stringify({ unavailable })}\n`);
  process.exit(0);
}

/** Addresses of this machine on which the process listens, as the kernel tells. */
function listening() {
  const sockets = new Set();
  for (const file of fs.readdirSync(`/proc/${pid}/fd`)) {
    try {
      sockets.add(/^socket:\[(\d+)\]$/.exec(fs.readlinkSync(`/proc/${pid}/fd/${file}`))?.[1]);
    } catch { /* closed meanwhile */ }
  }
  return fs.readFileSync(`/proc/${pid}/net/tcp`, "latin1").split("\n").slice(1).flatMap((line) => {
    const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
    if (state !== "0A" || !sockets.has(inode)) return [];
    const [address, port] = local.split(":");
    const host = Buffer.from(address, "hex").reverse().join(".");
    return [{ host: host === "0.0.0.0" ? "127.0.0.1" : host, port: Number.parseInt(port, 16) }];
  });
}

async function openInspector() {
  const caught = /^SigCgt:\s+(\w+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
  if ((BigInt(`0x${caught ?? 0}`) & sigusr1) === 0n) fail("it opens no inspector for SIGUSR1");
  const before = new Set(listening().map(({ port }) => port));
  process.kill(pid, "SIGUSR1");
  const until = Date.now() + longestOpening;
  while (Date.now() < until) {
    const found = listening().find(({ port }) => !before.has(port));
    if (found !== undefined) return found;
    await pause(10);
  }
  return fail("its inspector did not open: its port is taken, or its main thread is in a system call");
}

const targetOf = ({ host, port }) =>
  new Promise((resolve, reject) => {
    const request = http.get({ host, port, path: "/json/list", timeout: longestAnswer }, (response) => {
      let text = "";
      response.on("data", (part) => {
        text += part;
        if (text.length > longestMessage) request.destroy(new Error("it answers without end"));
      });
      response.on("end", () => resolve(new URL(JSON.parse(text)[0].webSocketDebuggerUrl).pathname));
    });
    request.on("timeout", () => request.destroy(new Error("it does not answer")));
    request.on("error", reject);
  });

/** Sends and takes text messages of a WebSocket. */
const connect = ({ host, port }, path, onText) =>
  new Promise((resolve, reject) => {
    const headers = {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": Buffer.alloc(16, 7).toString("base64"),
    };
    const request = http.get({ host, port, path, headers, timeout: longestAnswer });
    request.on("timeout", () => request.destroy(new Error("it does not answer")));
    request.on("error", reject);
    request.on("upgrade", (_response, socket, first) => {
      let rest = first;
      const read = (bytes) => {
        rest = Buffer.concat([rest, bytes]);
        while (rest.length >= 2) {
          const short = rest[1] & 0x7f;
          const head = short < 126 ? 2 : short === 126 ? 4 : 10;
          if (rest.length < head) return;
          const size = short < 126
            ? short
            : short === 126
            ? rest.readUInt16BE(2)
            : Number(rest.readBigUInt64BE(2));
          if (size > longestMessage) return socket.destroy();
          if (rest.length < head + size) return;
          if ((rest[0] & 15) === 1) onText(rest.toString("utf8", head, head + size));
          rest = rest.subarray(head + size);
        }
      };
      socket.on("data", read);
      socket.on("error", () => socket.destroy());
      read(Buffer.alloc(0));
      resolve((text) => {
        const bytes = Buffer.from(text);
        // Masked by zeros, which change nothing.
        const head = bytes.length < 126
          ? Buffer.from([0x81, 0x80 | bytes.length, 0, 0, 0, 0])
          : Buffer.from([0x81, 0xfe, bytes.length >> 8, bytes.length & 255, 0, 0, 0, 0]);
        socket.write(Buffer.concat([head, bytes]));
      });
    });
  });

/** Evaluated in each thread. */
const look = `(() => {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 60;
  const stack = String(new Error().stack).slice(0, 20000);
  Error.stackTraceLimit = limit;
  const handles = (process._getActiveHandles?.() ?? []).slice(0, 20).map((each) =>
    String(each?.constructor?.name) +
    (each?.spawnfile ? " " + each.spawnfile + " (" + each.pid + ")"
      : each?.listening && each.address?.()?.port ? " on port " + each.address().port
      : each?.remotePort ? " to port " + each.remotePort : ""));
  return JSON.stringify({ stack, handles, resources: process.getActiveResourcesInfo?.().slice(0, 100) ?? [] });
})()`;

async function takeStacks() {
  const at = await openInspector();
  const threads = [{ name: "main thread" }];
  const workers = new Map();
  let told;
  const evaluate = { method: "Runtime.evaluate", params: { expression: look, returnByValue: true } };
  const take = (thread, { id, result }) => {
    if (id !== 1 || thread === undefined) return;
    const value = result?.result?.value;
    Object.assign(thread, typeof value === "string" ? JSON.parse(value) : { refused: true });
    told?.();
  };
  const send = await connect(at, await targetOf(at), (text) => {
    const message = JSON.parse(text);
    const { method, params } = message;
    if (method === "NodeWorker.attachedToWorker" && workers.size < mostWorkers) {
      const thread = { name: `worker ${params.workerInfo.workerId}` };
      workers.set(params.sessionId, thread);
      threads.push(thread);
      const inner = { sessionId: params.sessionId, message: JSON.stringify({ id: 1, ...evaluate }) };
      send(JSON.stringify({ id: 2, method: "NodeWorker.sendMessageToWorker", params: inner }));
    } else if (method === "NodeWorker.receivedMessageFromWorker") {
      take(workers.get(params.sessionId), JSON.parse(params.message));
    } else take(threads[0], message);
  });
  const isDone = () => threads.every(({ stack, refused }) => stack !== undefined || refused);
  send(JSON.stringify({ id: 3, method: "NodeWorker.enable", params: { waitForDebuggerOnStart: false } }));
  send(JSON.stringify({ id: 1, ...evaluate }));
  const until = Date.now() + longestAnswer;
  while (!isDone() && Date.now() < until) {
    await new Promise((resolve) => {
      told = resolve;
      setTimeout(resolve, 100);
    });
  }
  // Frees the port for other processes.
  send(
    JSON.stringify({ id: 4, method: "Runtime.evaluate", params: { expression: "process._debugEnd?.()" } }),
  );
  await pause(20);
  return threads;
}

try {
  const threads = await takeStacks();
  fs.writeSync(1, `${JSON.stringify({ threads })}\n`);
  process.exit(0);
} catch (error) {
  fail(
    error.code === "ESRCH" || error.code === "ENOENT"
      ? "the process is gone"
      : `its inspector: ${error.message}`,
  );
}
