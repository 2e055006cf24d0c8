import t from "tap";
import type { FuzzFind } from "../../../../machines/model/fuzz.ts";
import { foundText } from "../../../../src/testing/fuzz/found_test.ts";
import { findText } from "../../../../src/tools/text/fuzz_text.ts";

const find = (message: string): FuzzFind => ({
  tool: "average",
  oracle: "crash",
  severity: "failure",
  signature: "exited",
  message,
  original: { numbers: [] },
  input: { numbers: [] },
  seed: 1,
  path: "0",
  shrinks: 0,
  shrinkMs: 1,
  confirmed: true,
});

t.test("of a long stack trace both ends are shown, with the depth of their lines", (t) => {
  const frames = Array.from({ length: 30 }, (_, index) => `      File "server.py", line ${index}`);
  const text = findText(
    find(["average ended the server", "  stderr:", ...frames, "    ZeroDivisionError: by zero"].join("\n")),
  );
  t.match(text, /ended the server\n {6}stderr:\n {10}File "server\.py", line 0\n/);
  t.match(text, /… 19 lines\n/);
  t.match(text, /line 29\n {8}ZeroDivisionError: by zero\n {4}input: /);
  t.end();
});

t.test("what breaks nothing is not counted as a fault", (t) => {
  t.equal(foundText([]), "0 faults");
  t.equal(foundText([{ severity: "failure" }]), "1 fault");
  t.equal(foundText([{ severity: "failure" }, { severity: "finding" }]), "1 fault, 1 finding");
  t.end();
});
