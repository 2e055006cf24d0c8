/** Where a server's output is cut, no half of a secret is left that nobody would know as one. */
import { PassThrough } from "node:stream";
import t from "tap";
import { followProcess } from "../../../src/client/server_process.ts";
import { openStdioConnection } from "../../../src/client/stdio_connection.ts";
import type { EnvironmentProcess } from "../../../src/runtimes/runtime.ts";
import { spawnServer } from "./fixture_server.ts";

const secret = "tulip-mania-1637";

function processSaying(stderr: string): EnvironmentProcess {
  const stream = new PassThrough();
  stream.end(stderr);
  const silent = () => new PassThrough();
  return {
    pid: 1,
    stdin: silent(),
    stdout: silent(),
    stderr: stream,
    exited: new Promise(() => {}),
    kill: () => Promise.resolve(),
  };
}

t.test("the kept end of stderr begins with a whole line", async (t) => {
  const rest = "line\n".repeat(14_000);
  for (const offset of [0, 4, 8, 12, 16]) {
    const before = `key ${secret}\n`;
    const wanted = 64 * 1024 - (before.length - offset) + 4;
    const text = before + rest.slice(0, wanted);
    const followed = followProcess(processSaying(text), false);
    await new Promise((resolve) => setTimeout(resolve, 20));
    t.notMatch(followed.stderrTail(), /mania|1637/, `${text.length} characters`);
    t.match(followed.stderrTail(), /^line\n/);
  }
  const short = followProcess(processSaying(`all of it\n`), false);
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.equal(short.stderrTail(), "all of it\n");
});

t.test("lines on stdout lose their secrets before they are cut", async (t) => {
  const script = `
    const log = "x".repeat(1990) + process.env.KEY;
    console.log(log);
    console.error(process.env.KEY);
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      const serverInfo = { name: "s", version: "1" };
      const result = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo };
      if (method === "initialize") console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
      else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }));
    });`;
  const connection = await openStdioConnection({
    id: "c1",
    timeoutMs: 10_000,
    process: await spawnServer(["node", "-e", script], { env: { KEY: secret } }),
    hide: (text) => text.replaceAll(secret, "[REDACTED]"),
  });
  t.teardown(() => connection.close());
  const [stray] = connection.strayOutput();
  t.equal(stray?.length, 2000);
  t.notMatch(stray, "tulip");
  // stderr comes on a pipe of its own, later on a busy machine.
  for (let wait = 0; wait < 100 && connection.stderrTail() === ""; wait++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  t.match(connection.stderrTail(), "[REDACTED]");
});
