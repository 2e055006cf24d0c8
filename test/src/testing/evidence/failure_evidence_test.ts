import t from "tap";
import { exchangeOf, FailureEvidence, newText } from "../../../../src/testing/evidence/failure_evidence.ts";
import type { Exchange } from "../../../../src/client/capture.ts";

const evidence = (more = {}) => ({ exchange: [], stderr: "", strayOutput: [], commands: [], ...more });
const sent = (id: number, name: string): Exchange => ({
  at: id,
  direction: "sent",
  message: { jsonrpc: "2.0", id, method: "tools/call", params: { name } },
});
const received = (id: number): Exchange => ({
  at: id,
  direction: "received",
  message: { jsonrpc: "2.0", id, result: {} },
});

t.test("a test's exchange begins with its call, or with its control call", (t) => {
  const all = [sent(1, "a"), received(1), sent(2, "b"), received(2), sent(3, "b"), received(3)];
  t.strictSame(exchangeOf(all, "b", false), all.slice(4));
  t.strictSame(exchangeOf(all, "b", true), all.slice(2));
  t.strictSame(exchangeOf(all, "c", false), []);
  t.strictSame(exchangeOf(all, undefined, false), all);
  t.end();
});

t.test("a bounded log tells what it gained", (t) => {
  t.equal(newText("", "abc"), "abc");
  t.equal(newText("abc\n", "abc\ndef\n"), "def\n");
  t.equal(newText("abc\n", "abc\n"), "");
  const long = "x".repeat(300) + "mark\n";
  t.equal(newText(long, `${long.slice(50)}new\n`), "new\n");
  t.equal(newText("seen before\n", "nothing of it is left"), "nothing of it is left");
  t.end();
});

t.test("payloads are cut, and forgotten when the test runs again", (t) => {
  const kept = new FailureEvidence();
  const huge = { at: 1, direction: "received" as const, message: { id: 7, result: "x".repeat(100_000) } };
  kept.keep("a", evidence({ exchange: [huge], stderr: "y".repeat(100_000) }));
  t.match(kept.of("a"), {
    exchange: [{ message: { id: 7, ofCharacters: Number, beginning: /^.{32768}$/ } }],
  });
  t.ok(kept.of("a")!.stderr.length <= 16 * 1024);
  kept.forget(["a", "unknown"]);
  t.equal(kept.of("a"), undefined);
  t.end();
});

t.test("beyond the budget a failure keeps the end of its stderr", (t) => {
  const kept = new FailureEvidence();
  const message = { at: 1, direction: "sent" as const, message: "z".repeat(30_000) };
  for (let each = 0; each < 30; each++) {
    kept.keep(`t${each}`, evidence({ exchange: Array(40).fill(message), stderr: "last words" }));
  }
  t.equal(kept.of("t0")?.exchange.length, 40);
  t.match(kept.of("t29"), evidence({ stderr: "last words" }));
  t.equal(kept.of("t29")?.exchange.length, 0);
  t.match(kept.of("t29")?.cut, [/Too many failures/]);
  t.end();
});

t.test("what is cut is said", (t) => {
  const kept = new FailureEvidence();
  kept.keep("a", evidence({ stderr: "e".repeat(20_000), strayOutput: Array(30).fill("x") }));
  t.strictSame(kept.of("a")?.cut, [
    "Of 20000 characters of stderr the last 16384 are kept.",
    "Of 30 lines on stdout the first 20 are kept.",
  ]);
  kept.keep("a", evidence({ stderr: "short" }));
  t.notHas(kept.of("a"), { cut: [] });
  t.end();
});
