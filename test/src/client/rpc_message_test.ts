import t from "tap";
import { isLikelyRpc, judgeAnswer } from "../../../src/client/rpc_message.ts";

t.test("tells JSON-RPC from JSON that a server logs", (t) => {
  for (
    const message of [
      { jsonrpc: "2.0", method: "x" },
      { jsonrpc: "1.0" },
      { id: 1, result: {} },
      { id: 1, error: {} },
    ]
  ) t.ok(isLikelyRpc(message), JSON.stringify(message));
  for (
    const other of [
      { level: "info" },
      { method: "GET", path: "/" },
      { id: 7, name: "x" },
      [],
      1,
      "text",
      null,
    ]
  ) {
    t.notOk(isLikelyRpc(other), JSON.stringify(other));
  }
  t.end();
});

t.test("a well-formed result and a well-formed error have no problems", (t) => {
  t.same(judgeAnswer({ jsonrpc: "2.0", id: 1, result: { a: 1 } }), { result: { a: 1 }, problems: [] });
  const error = { code: -32601, message: "no", data: { x: 1 } };
  t.same(judgeAnswer({ jsonrpc: "2.0", id: 1, error }), { error, problems: [] });
  t.end();
});

t.test("a result of null is a result", (t) => {
  t.same(judgeAnswer({ jsonrpc: "2.0", id: 1, result: null }), { result: null, problems: [] });
  t.end();
});

t.test("names each breach, and keeps what can be used", (t) => {
  const cases: [Record<string, unknown>, RegExp, boolean][] = [
    [{ jsonrpc: "2.0", id: 1 }, /neither a result nor an error/, false],
    [
      { jsonrpc: "2.0", id: 1, result: {}, error: { code: 1, message: "x" } },
      /both a result and an error/,
      true,
    ],
    [{ id: 1, result: {} }, /"jsonrpc" is undefined/, true],
    [{ jsonrpc: "2.0", id: "1", result: {} }, /came back as a string/, true],
    [{ jsonrpc: "2.0", id: 1, error: "boom" }, /error is not an object/, true],
    [{ jsonrpc: "2.0", id: 1, error: { message: "x" } }, /no integer code/, true],
    [{ jsonrpc: "2.0", id: 1, error: { code: 1 } }, /no message/, true],
  ];
  for (const [message, problem, usable] of cases) {
    const judged = judgeAnswer(message);
    t.match(judged.problems.join("; "), problem);
    t.equal(judged.result !== undefined || judged.error !== undefined, usable, JSON.stringify(message));
  }
  t.end();
});
