import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import t, { type Test } from "tap";
import { joinStreams, takeNumberLine } from "../../../src/platform/streams.ts";

/** Two ends of a connection. */
async function pair(t: Test): Promise<[Socket, Socket]> {
  const server = createServer({ allowHalfOpen: true });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const near = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
  const [[far]] = await Promise.all([once(server, "connection"), once(near, "connect")]);
  for (const socket of [near, far]) {
    socket.on("error", () => {});
    t.teardown(() => socket.destroy());
  }
  server.close();
  return [near, far];
}

t.test("what one side said last reaches the other", async (t) => {
  const [client, here] = await pair(t);
  const [there, server] = await pair(t);
  joinStreams(here, there);
  client.end("question");
  t.equal(String((await once(server, "data"))[0]), "question");
  server.end(new Uint8Array(4_000_000));
  let heard = 0;
  client.on("data", (piece) => heard += piece.length);
  await once(client, "end");
  t.equal(heard, 4_000_000);
});

t.test("a side that left before it was joined takes the other with it", async (t) => {
  const [client, here] = await pair(t);
  const [there, server] = await pair(t);
  client.resetAndDestroy();
  await new Promise((resolve) => here.once("close", resolve));
  joinStreams(here, there);
  server.resume();
  await once(server, "end");
  t.ok(there.destroyed);
});

t.test("a side that breaks takes the other with it", async (t) => {
  const [one, other] = [new PassThrough(), new PassThrough()];
  joinStreams(one, other);
  const gone = once(other, "close");
  one.destroy();
  await gone;
  t.ok(other.destroyed);
});

t.test("a number's line is taken off a stream, and all behind it stays", async (t) => {
  const stream = new PassThrough();
  const taken = takeNumberLine(stream);
  stream.write("12");
  stream.write("34\nrest");
  t.equal(await taken, 1234);
  stream.end();
  t.equal((await stream.toArray()).join(""), "rest");
  const empty = new PassThrough();
  empty.end("12");
  t.equal(await takeNumberLine(empty), undefined, "a line that has no end is none");
});
