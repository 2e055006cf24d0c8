import { once } from "node:events";
import { connect } from "node:net";
import { PassThrough, Readable } from "node:stream";
import t from "tap";
import { log } from "../../../src/platform/log.ts";
import { type HttpReply, serveOnLoopback } from "../../../src/platform/http_server.ts";

/** Node's own client takes a cut answer for a whole one where the connection was to be closed anyway. */
const answering = (reply: () => HttpReply) =>
  serveOnLoopback(() => {
    const { headers, ...rest } = reply();
    return Promise.resolve({ ...rest, headers: { connection: "keep-alive", ...headers } });
  });
const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

t.test("a stream is sent as it comes, and destroyed when the client leaves", async (t) => {
  const body = new PassThrough();
  const server = await answering(() => ({ status: 200, body }));
  t.teardown(() => server.close());
  const leave = new AbortController();
  const response = await fetch(`http://127.0.0.1:${server.port}/`, { signal: leave.signal });
  const reader = response.body!.getReader();
  body.write("first");
  t.equal(new TextDecoder().decode((await reader.read()).value), "first", "before the stream has ended");
  body.write("second");
  t.equal(new TextDecoder().decode((await reader.read()).value), "second");
  const closed = new Promise((resolve) => body.once("close", resolve));
  leave.abort();
  await closed;
  t.ok(body.destroyed);
});

t.test("a client that does not read holds the stream back", async (t) => {
  let made = 0;
  const endless = new Readable({
    read() {
      made += 65_536;
      this.push(new Uint8Array(65_536));
    },
  });
  const server = await answering(() => ({ status: 200, body: endless }));
  t.teardown(() => server.close());
  const leave = new AbortController();
  const response = await fetch(`http://127.0.0.1:${server.port}/`, { signal: leave.signal });
  await later(200);
  const before = made;
  await later(200);
  t.equal(made, before, "nothing is made that nobody takes");
  await response.body!.getReader().read();
  leave.abort();
});

t.test("a stream that breaks cuts its connection, and the next request is answered", async (t) => {
  let broken = true;
  const server = await answering(() => ({ status: 200, body: broken ? breaking() : "whole" }));
  t.teardown(() => server.close());
  const address = `http://127.0.0.1:${server.port}/`;
  await t.rejects(fetch(address).then((response) => response.text()));
  broken = false;
  t.equal(await (await fetch(address)).text(), "whole");
});

t.test("who asks for headers gets no body, and no stream is left open", async (t) => {
  const body = new PassThrough();
  const server = await answering(() => ({ status: 200, headers: { "x-kind": "feed" }, body }));
  t.teardown(() => server.close());
  const response = await fetch(`http://127.0.0.1:${server.port}/`, { method: "HEAD" });
  t.equal(response.headers.get("x-kind"), "feed");
  t.ok(body.destroyed);
});

t.test("an answer that cannot be sent cuts its connection, and the next request is answered", async (t) => {
  const told: string[] = [];
  t.intercept(log, "error", { value: (message: string) => told.push(message) });
  let header = "two\nlines";
  const server = await answering(() => ({ status: 200, headers: { "x-name": header }, body: "whole" }));
  t.teardown(() => server.close());
  const address = `http://127.0.0.1:${server.port}/`;
  await t.rejects(fetch(address));
  t.strictSame(told, ["Cannot send an answer"]);
  header = "one line";
  t.equal(await (await fetch(address)).text(), "whole");
});

t.test("clients that send half a request keep neither others waiting nor the end", async (t) => {
  const server = await serveOnLoopback(async (request) => ({
    status: 200,
    headers: { connection: "keep-alive" },
    body: request.method === "POST" ? await request.text() : "whole",
  }));
  const begun = ["GET / HTTP/1.1\r\nHost: x", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf"];
  const clients = Array.from({ length: 100 }, (_, at) => {
    const client = connect(server.port, "127.0.0.1");
    client.on("error", () => client.destroy());
    client.write(begun[at % 2]!);
    return client;
  });
  await Promise.all(clients.map((client) => once(client, "connect")));
  t.equal(await (await fetch(`http://127.0.0.1:${server.port}/`)).text(), "whole");
  const gone = clients.map((client) => new Promise((resolve) => client.resume().once("close", resolve)));
  await server.close();
  await Promise.all(gone);
  t.ok(clients.every(({ destroyed }) => destroyed));
});

t.test("a port that is taken is refused", async (t) => {
  const server = await answering(() => ({ status: 200 }));
  t.teardown(() => server.close());
  await t.rejects(serveOnLoopback(() => Promise.resolve({ status: 200 }), server.port), {
    code: "PORT_TAKEN",
  });
});

t.test("closing drops streams that are still being sent", async (t) => {
  const body = new PassThrough();
  const server = await answering(() => ({ status: 200, body }));
  const response = await fetch(`http://127.0.0.1:${server.port}/`);
  const read = response.text().then(() => "whole", () => "dropped");
  const closed = new Promise((resolve) => body.once("close", resolve));
  await server.close();
  await closed;
  t.equal(await read, "dropped");
});

const breaking = (): Readable => {
  const body = new PassThrough();
  body.write("half");
  setTimeout(() => body.destroy(new Error("the disk is gone")), 20);
  return body;
};
