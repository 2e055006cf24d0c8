/** The client against servers on HTTP. Needs node on the PATH. */
import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import { openHttpConnection } from "../../../src/client/http_connection.ts";
import { signalProcess } from "../../../src/platform/process.ts";
import { freePort } from "../../contracts/runtime/context.ts";
import { fixturePath, isAlive, spawnServer } from "../../src/client/fixture_server.ts";

const timeoutMs = 60_000;

async function connectTo(command: string[]) {
  const port = await freePort();
  const process = await spawnServer(["node", ...command], { env: { PORT: String(port) } });
  return await openHttpConnection({ id: "http", url: `http://127.0.0.1:${port}/mcp`, process, timeoutMs });
}

const httpServer = fixturePath("http_server/server.mjs");

t.test("streamable HTTP: waits until the server listens, keeps the session, ends the process", async (t) => {
  const connection = await connectTo([httpServer]);
  t.match(connection.server, { name: "http-server", protocolVersion: "2025-11-25" });
  t.same((await connection.listTools()).map((tool) => tool.name), ["echo", "sum", "visits"]);
  t.match(await connection.callTool("sum", { a: 1, b: 2 }), {
    structuredContent: { sum: 3 },
    violations: [],
  });
  await connection.callTool("visits", {});
  t.equal((await connection.callTool("visits", {})).text, "2");
  t.match(await connection.callTool("echo", {}), { isError: true, text: /expected string/ });
  t.ok(await connection.ping(timeoutMs) > 0);
  t.match(connection.stderrTail(), /Listening/);
  t.match(connection.exchanges()[0], { direction: "sent", message: { method: "server/discover" } });
  t.match(await connection.close(), { how: "sigterm" });
  t.notOk(isAlive(connection.pid!));
});

t.test("the older HTTP+SSE transport is found by itself", async (t) => {
  const connection = await connectTo([httpServer, "--sse"]);
  t.equal((await connection.listTools()).length, 3);
  t.equal((await connection.callTool("echo", { message: "hi" })).text, "hi");
  await connection.close();
});

t.test("revision 2026-07-28 over HTTP, with progress and without a session", async (t) => {
  const connection = await connectTo([fixturePath("era_2026_server/server.mjs")]);
  t.match(connection.server, { name: "era-2026-server", protocolVersion: "2026-07-28" });
  await connection.listTools();
  const heard: number[] = [];
  const onProgress = ({ progress }: { progress: number }) => heard.push(progress);
  t.equal((await connection.callTool("count_to", { last: 3 }, { onProgress })).text, "Counted to 3");
  t.same(heard, [1, 2, 3]);
  t.match(await connection.callTool("area", { width: 2, height: 3 }), {
    structuredContent: { area: 6 },
    violations: [],
  });
  t.ok(await connection.ping(timeoutMs) > 0);
  await connection.close();
});

t.test("a server that dies is lost, with its signal", async (t) => {
  const connection = await connectTo([httpServer]);
  signalProcess(connection.pid!, "SIGKILL");
  await t.rejects(connection.callTool("echo", { message: "x" }), { code: "SERVER_LOST", message: /SIGKILL/ });
  t.match(await connection.lost, { reason: "killed", signal: "SIGKILL" });
  t.match(await connection.close(), { how: "already-gone" });
});

t.test("a server that ends at its start is told with its exit code at once", async (t) => {
  const process = await spawnServer(["node", "-e", "console.error('no config'); process.exit(5)"]);
  const started = performance.now();
  await t.rejects(
    openHttpConnection({ id: "c", url: `http://127.0.0.1:${await freePort()}`, process, timeoutMs }),
    {
      code: "START_FAILED",
      message: "Cannot start plugin: exited with 5 before initialize",
      context: { output: /no config/ },
    },
  );
  t.ok(performance.now() - started < timeoutMs, "it is not waited for");
});

t.test("nobody listens: told within the limit", async (t) => {
  await t.rejects(
    openHttpConnection({ id: "c", url: `http://127.0.0.1:${await freePort()}/mcp`, timeoutMs: 1000 }),
    {
      code: "START_FAILED",
      message: /cannot reach http:/,
    },
  );
});

t.test("a start that is given up ends at once", async (t) => {
  const url = `http://127.0.0.1:${await freePort()}/mcp`;
  const signal = AbortSignal.timeout(200);
  await t.rejects(openHttpConnection({ id: "c", url, timeoutMs, signal }), { name: "TimeoutError" });
});

t.test("what is no http URL is wrong use", async (t) => {
  for (const url of ["localhost:3000", "", "ftp://host/x", "/mcp"]) {
    await t.rejects(openHttpConnection({ id: "c", url, timeoutMs }), { code: "INVALID_INPUT" }, url);
  }
});

/** Serves the handshake in plain JSON; `call` answers tools/call. */
async function serve(
  t: { teardown(end: () => unknown): void },
  call: (request: IncomingMessage, response: ServerResponse, id: number) => void,
): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { id, method } = JSON.parse(Buffer.concat(chunks).toString() || "{}");
      if (id === undefined) return response.writeHead(request.method === "POST" ? 202 : 405).end();
      if (method === "tools/call") return call(request, response, id);
      const serverInfo = { name: "plain", version: "1" };
      const answer = method === "initialize"
        ? { result: { protocolVersion: "2025-06-18", capabilities: {}, serverInfo } }
        : { error: { code: -32601, message: "Method not found" } };
      response.setHeader("content-type", "application/json").end(
        JSON.stringify({ jsonrpc: "2.0", id, ...answer }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

t.test("HTTP answers that are no JSON-RPC are violations of the outcome", async (t) => {
  const answers: [RegExp, (response: ServerResponse, id: number) => void][] = [
    [/HTTP 500/, (response) => response.writeHead(500).end("Internal Server Error")],
    [/no JSON-RPC/, (response) => response.setHeader("content-type", "text/html").end("<p>hello</p>")],
    [/no JSON-RPC/, (response) => response.setHeader("content-type", "application/json").end("{")],
    [
      /without a JSON-RPC answer/,
      (response) => response.setHeader("content-type", "text/event-stream").end(),
    ],
  ];
  let next = 0;
  const url = await serve(t, (_request, response, id) => answers[next]![1](response, id));
  const connection = await openHttpConnection({ id: "c", url, timeoutMs });
  for (; next < answers.length; next++) {
    const outcome = await connection.callTool("act", {});
    t.match(outcome, { isError: true, violations: [{ kind: "malformed", message: answers[next]![0] }] });
  }
  t.match(await connection.close(), { how: "disconnected", exitCode: null });
});

t.test("a JSON-RPC error in the body of an HTTP error is the outcome", async (t) => {
  const url = await serve(t, (_request, response, id) => {
    const error = { code: -32000, message: "busy" };
    response.writeHead(503, { "content-type": "application/json" }).end(
      JSON.stringify({ jsonrpc: "2.0", id, error }),
    );
  });
  const connection = await openHttpConnection({ id: "c", url, timeoutMs });
  t.match(await connection.callTool("act", {}), {
    kind: "rpc_error",
    code: -32000,
    text: "busy",
    violations: [],
  });
  await connection.close();
});

t.test("a server that refuses the POST and opens a stream that says nothing is given up in time", async (t) => {
  const server = createServer((request, response) => {
    if (request.method !== "GET") return response.writeHead(405).end();
    response.writeHead(200, { "content-type": "text/event-stream" }).write(": hello\n\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.closeAllConnections());
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`;
  await t.rejects(openHttpConnection({ id: "c", url, timeoutMs: 2000 }), {
    code: "PROTOCOL_VIOLATION",
    message: /HTTP 405/,
  });
});

t.test("headers that were given go with every request", async (t) => {
  let heard: string | undefined;
  const url = await serve(t, (request, response, id) => {
    heard = request.headers.authorization;
    response.setHeader("content-type", "application/json")
      .end(JSON.stringify({ jsonrpc: "2.0", id, result: { content: [] } }));
  });
  const headers = { authorization: "Bearer secret" };
  const connection = await openHttpConnection({ id: "c", url, headers, timeoutMs });
  t.same((await connection.callTool("act", {})).content, []);
  t.equal(heard, "Bearer secret");
  await connection.close();
});

t.test("a call that is given up ends at once", async (t) => {
  const url = await serve(t, () => {});
  const connection = await openHttpConnection({ id: "c", url, timeoutMs });
  await t.rejects(connection.callTool("act", {}, { signal: AbortSignal.timeout(100) }), {
    name: "TimeoutError",
  });
  await connection.close();
});
