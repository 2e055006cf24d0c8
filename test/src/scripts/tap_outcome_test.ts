import t from "tap";
import {
  describeEnding,
  type ProcessEnding,
  readFileTap,
  readSharedTap,
} from "../../../scripts/testing/tap_outcome.ts";

const exited = (code: number): ProcessEnding => ({ code, signal: null });
const passing = "ok 1 - first\nok 2 - second # SKIP no engine\n1..2\n";
const nested = `# Subtest: adds
    # Subtest: negative numbers
        not ok 1 - should be equal
          ---
          at:
            lineNumber: 7
          ...
        1..1
    not ok 1 - negative numbers # time=1ms
    1..1
not ok 1 - adds # time=2ms
1..1
`;

/** As a process writes it that runs these files. */
function tapOf(texts: Record<string, string>): string {
  const files = Object.entries(texts).map(([path, text], index) =>
    `# Subtest: ${path}\n${text.replace(/^(?=.)/gm, "    ")}${/^not ok/m.test(text) ? "not ok" : "ok"} ${
      index + 1
    } - ${path} # time=${index + 1}5ms\n\n`
  );
  return `TAP version 14\n${files.join("")}`;
}

function read(...parts: string[]) {
  const reader = readSharedTap();
  for (const part of parts) reader.write(part);
  reader.end();
  return [...reader.files];
}

t.test("counts top-level tests of each file and keeps the reasons of skips", (t) => {
  const [a, b] = read(tapOf({ "a_test.ts": passing, "b_test.ts": passing }) + "1..2\n");
  t.match(a, { path: "a_test.ts", ended: true, passed: 1, failed: 0, durationMs: 15 });
  t.match(b, { path: "b_test.ts", ended: true, passed: 1, failed: 0, durationMs: 25 });
  t.same(b!.skipped, [{ name: "second", reason: "no engine" }]);
  t.end();
});

t.test("output that comes in pieces is read the same", (t) => {
  const text = tapOf({ "a_test.ts": nested, "b_test.ts": passing }) + "1..2\n";
  t.same(read(...text), read(text));
  t.end();
});

t.test("names a nested failure by the tests around it, without the file, and keeps its details", (t) => {
  const [file, next] = read(tapOf({ "a_test.ts": nested, "b_test.ts": passing }) + "1..2\n");
  t.equal(file!.failed, 1);
  t.match(file!.failures, [{
    name: /^adds.*negative numbers.*should be equal/,
    details: { at: { lineNumber: 7 } },
  }]);
  t.equal(file!.failures.length, 1);
  t.match(next, { failed: 0, failures: [] });
  t.end();
});

t.test("a file that fails as a whole, and what fails beside the files, count", (t) => {
  const [file] = read(
    "TAP version 14\n# Subtest: a_test.ts\n    ok 1 - first\n    1..1\nnot ok 1 - a_test.ts\n1..1\n",
  );
  t.match(file, { passed: 1, failed: 1, failures: [{ name: "a_test.ts" }] });
  const [before] = read(tapOf({ "a_test.ts": passing }) + "not ok 2 - too late\n1..2\n");
  t.match(before, { passed: 1, failed: 1, failures: [{ name: "too late" }] });
  t.end();
});

t.test("a file in a process of its own is counted the same, and its failures are named the same", (t) => {
  const reader = readFileTap("a_test.ts");
  reader.write(`TAP version 14\n${nested.slice(0, -"1..1\n".length)}`);
  reader.write("ok 2 - second # SKIP no engine\nok 3 - third\n1..3\n");
  reader.end();
  const [file] = reader.files;
  t.match(file, { passed: 1, failed: 1, skipped: [{ name: "second" }] });
  t.match(file!.failures, [{ name: /^adds.*should be equal/, details: { at: { lineNumber: 7 } } }]);
  t.equal(file!.failures.length, 1);
  t.end();
});

t.test("a file that was broken off has not ended", (t) => {
  const [file] = read("TAP version 14\n# Subtest: a_test.ts\n    ok 1 - first\n");
  t.match(file, { ended: false, passed: 1 });
  t.ok(file!.failed > 0);
  t.end();
});

const nothing = { passed: 0, failed: 0, skipped: [], failures: [] };

t.test("a file that runs no test fails", (t) => {
  t.equal(describeEnding(exited(0), nothing), "ran no test");
  t.equal(describeEnding(exited(3), nothing), "exited with 3 before any test");
  t.end();
});

t.test("a file that breaks after its tests fails", (t) => {
  t.equal(describeEnding(exited(0), { ...nothing, passed: 1 }), undefined);
  t.match(describeEnding(exited(1), { ...nothing, passed: 1 }), /after its tests passed/);
  t.match(describeEnding({ code: null, signal: "SIGSEGV" }, { ...nothing, passed: 1 }), /SIGSEGV/);
  t.end();
});

t.test("a file that is stopped fails with the time it had", (t) => {
  const ending = { code: null, signal: "SIGKILL", timedOutAfterSeconds: 90 };
  t.equal(describeEnding(ending, { ...nothing, passed: 1 }), "stopped after 90 s");
  t.end();
});
