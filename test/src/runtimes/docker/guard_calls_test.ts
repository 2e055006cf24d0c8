/** A stand-in for an engine that is reached over TCP. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import Docker from "dockerode";
import t, { type Test } from "tap";
import { connectEngine } from "../../../../src/runtimes/docker/engine.ts";
import { inspectImage } from "../../../../src/runtimes/images/base.ts";

/** Listens until the test's end; answers the address and the paths that were asked for. */
async function listen(t: Test, answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function engineAt(t: Test, address: string): Promise<Docker> {
  const before = process.env.DOCKER_HOST;
  process.env.DOCKER_HOST = `tcp://${address}`;
  t.teardown(() => {
    if (before === undefined) delete process.env.DOCKER_HOST;
    else process.env.DOCKER_HOST = before;
  });
  return await connectEngine();
}

t.test("a redirect of the engine is an error, and nobody else is asked", async (t) => {
  const other = await listen(t, (_request, response) => response.end('{"Id":"someone else"}'));
  const { address, asked } = await listen(t, (_request, response) => {
    response.writeHead(307, { location: `http://${other.address}/latest/meta-data` }).end();
  });
  const engine = await engineAt(t, address);
  await t.rejects(inspectImage(engine, "alpine:3"), {
    code: "RUNTIME_UNAVAILABLE",
    message: /redirect, which is not followed/,
  });
  t.same(asked, ["GET /images/alpine:3/json"]);
  t.same(other.asked, []);
});

t.test("no value leads to another call than the one that was meant", async (t) => {
  const { address, asked } = await listen(t, (_request, response) => response.end("{}"));
  const engine = await engineAt(t, address);
  const hostile = [
    "../containers/json?all=1#",
    "x/../../containers/abc/stop",
    "a?force=1",
    "a#b",
    "%2e%2e/x",
    "a b",
    "a\r\nX: y",
    "",
    "..",
    "a//b",
  ];
  for (const name of hostile) {
    await t.rejects(engine.getImage(name).inspect(), { code: "INVALID_INPUT" }, JSON.stringify(name));
    await t.rejects(engine.getContainer(name).remove(), { code: "INVALID_INPUT" }, JSON.stringify(name));
  }
  t.same(asked, []);
  await engine.getImage("localhost:5000/team/a_b.c:1@sha256:" + "0".repeat(64)).inspect();
  await engine.listContainers({ filters: { label: ["a=?&/.."] } });
  t.equal(asked.length, 2, "ordinary calls go through");
});
