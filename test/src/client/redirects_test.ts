/** Servers under test that send PTH elsewhere. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import t, { type Test } from "tap";
import { openHttpConnection } from "../../../src/client/http_connection.ts";

type Handler = (request: IncomingMessage, body: string, response: ServerResponse) => void;

/** Listens until the test's end; answers the origin and the requests that came. */
async function listen(t: Test, handle: Handler) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => body += chunk);
    request.on("end", () => {
      asked.push(`${request.method} ${request.url}`);
      handle(request, body, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const results: Record<string, unknown> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "wanderer", version: "1.0.0" },
  },
  "tools/list": { tools: [{ name: "go", inputSchema: { type: "object" } }] },
  ping: {},
};

/** Answers as an MCP server does; `on` is told each request first and may answer it itself. */
const mcp =
  (on: (request: IncomingMessage, method: string, response: ServerResponse) => boolean): Handler =>
  (request, body, response) => {
    const message = body === "" ? {} : JSON.parse(body) as { id?: number; method?: string };
    if (on(request, message.method ?? "", response)) return;
    if (request.method !== "POST") return void response.writeHead(405).end();
    if (message.id === undefined) return void response.writeHead(202).end();
    const result = results[message.method ?? ""];
    const answer = result === undefined ? { error: { code: -32601, message: "not here" } } : { result };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answer }));
  };

const redirect = (response: ServerResponse, status: number, location: string): true => {
  response.writeHead(status, { location }).end();
  return true;
};

for (const status of [301, 302, 303, 307, 308]) {
  t.test(`a server that answers ${status} to another origin is not followed`, async (t) => {
    const other = await listen(t, mcp(() => false));
    const { origin, asked } = await listen(
      t,
      mcp((_request, _method, response) => redirect(response, status, `${other.origin}/latest/meta-data`)),
    );
    const options = { id: "x", url: `${origin}/mcp`, headers: { authorization: "secret" }, timeoutMs: 5000 };
    await t.rejects(openHttpConnection(options), {
      code: "PROTOCOL_VIOLATION",
      message: /redirects to ".*": another origin, which is not asked/,
    });
    t.ok(asked.length > 0);
    t.same(other.asked, []);
  });
}

t.test("a redirect of a call to another origin is the call's fault", async (t) => {
  const other = await listen(t, mcp(() => false));
  const { origin } = await listen(
    t,
    mcp((_request, method, response) =>
      method === "tools/call" && redirect(response, 307, `${other.origin.replace("http:", "https:")}/`)
    ),
  );
  const connection = await openHttpConnection({ id: "x", url: `${origin}/mcp`, timeoutMs: 5000 });
  t.teardown(() => connection.close());
  const outcome = await connection.callTool("go", {});
  t.match(JSON.stringify(outcome.violations), /another origin, which is not asked/);
  t.same(other.asked, []);
});

t.test("a redirect within the server's own origin is followed with its body", async (t) => {
  const { origin } = await listen(
    t,
    mcp((request, _method, response) => request.url === "/mcp" && redirect(response, 307, "/mcp/")),
  );
  const connection = await openHttpConnection({ id: "x", url: `${origin}/mcp`, timeoutMs: 5000 });
  t.same((await connection.listTools()).map(({ name }) => name), ["go"]);
  await connection.close();
});

t.test("a server that redirects in a circle is left", async (t) => {
  const { origin, asked } = await listen(t, mcp((_r, _m, response) => redirect(response, 308, "/mcp")));
  await t.rejects(openHttpConnection({ id: "x", url: `${origin}/mcp`, timeoutMs: 5000 }), {
    message: /more than 5 redirects/,
  });
  t.ok(asked.length < 40, `${asked.length} requests`);
});
