import t from "tap";
import { readTextFile } from "../../../src/platform/files.ts";
import { initialize, initialized, line, startRaw } from "../../support/mcp_process.ts";

t.test("stdin that closes ends an idle server, with exit code 0", async (t) => {
  const server = await startRaw();
  server.write(initialize + initialized);
  t.match(await server.next(), { id: 1, result: { serverInfo: { name: "pth" } } });
  server.process.stdin.end();
  t.strictSame(await server.process.exited, { code: 0, signal: null });
});

t.test("stdin that closes before anything was said ends the server too", async (t) => {
  const server = await startRaw();
  server.process.stdin.end();
  t.strictSame(await server.process.exited, { code: 0, signal: null });
  t.equal(server.stdout(), "");
});

t.test("requests piped in at once are answered before the server ends", async (t) => {
  const server = await startRaw();
  server.write(initialize + initialized + line({ id: 2, method: "tools/list" }));
  server.process.stdin.end();
  t.match(await server.next(), { id: 1 });
  const list = await server.next() as { id: number; result: { tools: unknown[] } };
  t.equal(list.result.tools.length, 3);
  t.equal((await server.process.exited).code, 0);
});

t.test("garbage is told on stderr, and the server goes on", async (t) => {
  const server = await startRaw();
  server.write('garbage\n{"half": \n' + initialize + initialized);
  t.match(await server.next(), { id: 1, result: {} });
  server.write("\u0000\u0001\n[]\n" + line({ id: 2, method: "no/such/method" }));
  t.match(await server.next(), { id: 2, error: { code: -32601 } });
  server.write(line({ id: 3, method: "tools/call", params: { name: 7 } }));
  t.match(await server.next(), { id: 3, error: { code: Number } });
  server.write(line({ id: 4, method: "ping" }));
  t.match(await server.next(), { id: 4, result: {} });
  server.process.stdin.end();
  t.equal((await server.process.exited).code, 0);
  t.match(server.stderr(), /Cannot read message: .*garbage/);
});

t.test("a malformed initialize is refused by the library", async (t) => {
  const server = await startRaw();
  server.write(line({ id: 1, method: "initialize", params: { protocolVersion: 1 } }));
  t.match(await server.next(), { id: 1, error: { code: Number } });
  server.process.stdin.end();
  await server.process.exited;
});

for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
  t.test(`${signal} ends the server with ${code}`, async (t) => {
    const server = await startRaw();
    server.write(initialize);
    await server.next();
    server.process.kill(signal);
    t.strictSame(await server.process.exited, { code, signal: null });
  });
}

t.test("wrong arguments end the process with 2 and say what is expected", async (t) => {
  const wrong = await startRaw(["--tools", "some"]);
  t.equal((await wrong.process.exited).code, 2);
  t.match(wrong.stderr(), /Cannot serve: --tools expects one of dynamic, static, test, not .*some/);
  const unknown = await startRaw(["--nonsense"]);
  t.equal((await unknown.process.exited).code, 2);
  t.match(unknown.stderr(), "--nonsense");
  t.equal(wrong.stdout() + unknown.stdout(), "");
});

t.test("PTH_LOG_FILE takes the log, and stdout carries the protocol only", async (t) => {
  const file = `${t.testdir()}/log.jsonl`;
  const server = await startRaw([], { PTH_DEBUG: "trace", PTH_LOG_FILE: file });
  server.write(initialize + initialized + line({ id: 2, method: "tools/list" }));
  await server.next();
  await server.next();
  server.process.stdin.end();
  await server.process.exited;
  const lines = (await readTextFile(file)).trim().split("\n").map((text) => JSON.parse(text));
  t.ok(lines.some(({ message, level }) => message === "received" && level === "trace"));
  t.equal(server.stderr(), "");
  for (const text of server.stdout().trim().split("\n")) t.match(JSON.parse(text), { jsonrpc: "2.0" });
});
