import { PassThrough } from "node:stream";
import t from "tap";
import { createStdioTransport } from "../../../src/client/stdio_connection.ts";

async function startedWire(maxBytes?: number) {
  const process = { stdin: new PassThrough(), stdout: new PassThrough() };
  const heard: { messages: unknown[]; stray: string[]; broken: string[] } = {
    messages: [],
    stray: [],
    broken: [],
  };
  const wire = createStdioTransport(process, maxBytes);
  await wire.start({
    message: (message) => heard.messages.push(message),
    stray: (line) => heard.stray.push(line),
    unusable: () => {},
    broken: (error) => heard.broken.push(error.code),
  });
  const output = async (text: string) => {
    process.stdout.write(text);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { process, wire, heard, output };
}

t.test("tells messages from whatever else a server prints", async (t) => {
  const { heard, output } = await startedWire();
  await output(
    'Server ready\n{"level":"info"}\n{"jsonrpc":"2.0","method":"a"}\n{"jsonrpc"\n\n   \n[1]\n"text"\n',
  );
  t.same(heard.messages, [{ jsonrpc: "2.0", method: "a" }]);
  t.same(heard.stray, ["Server ready", '{"level":"info"}', '{"jsonrpc"', "[1]", '"text"']);
});

t.test("a batch is delivered message by message", async (t) => {
  const { heard, output } = await startedWire();
  await output('[{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":2,"result":2}]\n');
  t.same(heard.messages.map((message) => (message as { id: number }).id), [1, 2]);
});

t.test("an overlong line is a breach, and the next message is read", async (t) => {
  const { heard, output } = await startedWire(50);
  await output(`${"x".repeat(200)}\n{"jsonrpc":"2.0","method":"a"}\n`);
  t.same(heard.broken, ["PROTOCOL_VIOLATION"]);
  t.equal(heard.messages.length, 1);
});

t.test("what was printed without a line feed is heard at the end", async (t) => {
  const { process, heard } = await startedWire();
  process.stdout.end("Segmentation fault");
  await new Promise((resolve) => process.stdout.once("close", resolve));
  t.same(heard.stray, ["Segmentation fault"]);
});

t.test("writes one line per message, and nothing to a pipe that is closed", async (t) => {
  const { process, wire } = await startedWire();
  const message = { jsonrpc: "2.0", id: 1, method: "a" } as const;
  wire.send(message, JSON.stringify(message));
  t.equal(String(process.stdin.read()), '{"jsonrpc":"2.0","id":1,"method":"a"}\n');
  process.stdin.end();
  wire.send(message, JSON.stringify(message));
  t.equal(process.stdin.read(), null);
});
