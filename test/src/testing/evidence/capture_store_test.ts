import t from "tap";
import type { TestEvidence } from "../../../../src/testing/evidence/failure_evidence.ts";
import { CaptureStore } from "../../../../src/testing/evidence/capture_store.ts";
import type { Exchange } from "../../../../src/client/capture.ts";

const sent = (message: unknown): Exchange => ({ at: 1, direction: "sent", message });
const evidence = (more: Partial<TestEvidence> = {}): TestEvidence => ({
  exchange: [],
  stderr: "",
  strayOutput: [],
  commands: [],
  ...more,
});

t.test("what was said in a test comes back as it was, until the test runs again", (t) => {
  const store = new CaptureStore();
  const first = evidence({ exchange: [sent({ id: 1, method: "tools/call" })], stderr: "é\n" });
  store.keep("a", first);
  t.strictSame(store.of("a"), first);
  store.keep("a", evidence({ stderr: "second" }));
  t.equal(store.of("a")?.stderr, "second");
  store.forget(["a", "unknown"]);
  t.equal(store.of("a"), undefined);
  t.equal(store.size, 0);
  t.end();
});

t.test("beyond the budget the oldest make room, and it is known of which", (t) => {
  const store = new CaptureStore(1000);
  for (const id of ["a", "b", "c"]) store.keep(id, evidence({ stderr: "x".repeat(400) }));
  t.ok(store.size <= 1000);
  t.equal(store.of("a"), undefined);
  t.ok(store.wasPruned("a"));
  t.notOk(store.wasPruned("never there"));
  t.equal(store.of("c")?.stderr.length, 400);
  store.keep("a", evidence());
  t.notOk(store.wasPruned("a"));
  t.end();
});

t.test("a message too long is kept with its beginning and its length", (t) => {
  const store = new CaptureStore();
  store.keep("a", evidence({ exchange: [sent({ text: "y".repeat(200_000) })], stderr: "z".repeat(50_000) }));
  t.match(store.of("a"), { exchange: [{ message: { ofCharacters: 200_011, beginning: /^\{"text":"y/ } }] });
  t.equal(store.of("a")?.stderr.length, 16 * 1024);
  t.end();
});

t.test("a thousand tests with ordinary messages fit", (t) => {
  const store = new CaptureStore();
  for (let each = 0; each < 1000; each++) {
    store.keep(`t${each}`, evidence({ exchange: Array(4).fill(sent({ text: "x".repeat(2000) })) }));
  }
  t.ok(store.of("t0"));
  t.ok(store.of("t999"));
  t.end();
});
