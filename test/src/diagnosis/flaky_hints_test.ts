import t from "tap";
import { flakyHints } from "../../../src/diagnosis/flaky_hints.ts";

const ran = { failures: 1, attempts: 3 };
const excerpt = (text: string) => [{ path: "src/server.ts", from: 10, text }];

t.test("lines that make runs differ are named by what they depend on", (t) => {
  const hints = flakyHints(
    ran,
    excerpt("const at = Date.now();\nif (Math.random() < 0.3) fail();\nawait fetch(url);"),
  );
  t.match(hints[0], "failed 1 of 3 runs of the same source");
  t.same(hints.slice(1), [
    "It depends on chance: src/server.ts:11.",
    "It depends on the clock: src/server.ts:10.",
    "It depends on the network: src/server.ts:12.",
  ]);
  t.end();
});

t.test("other languages are known, too; of many places three are told", (t) => {
  t.match(flakyHints(ran, excerpt("time.sleep(0.1)\nthreading.Thread(target=go)")).slice(1), [
    "It depends on a timer: src/server.ts:10.",
    "It depends on work side by side: src/server.ts:11.",
  ]);
  const many = flakyHints(ran, excerpt("random.random()\n".repeat(5)));
  t.equal(many[1], "It depends on chance: src/server.ts:10, src/server.ts:11, src/server.ts:12.");
  t.end();
});

t.test("where the source shows nothing, the general hint stands alone", (t) => {
  t.equal(flakyHints(ran, excerpt("return a + b;")).length, 1);
  t.equal(flakyHints(ran, []).length, 1);
  t.end();
});
