import t from "tap";
import type { ProjectTestRequest } from "../../../../machines/model/project_test.ts";
import nextest from "../../../../src/project_tests/frameworks/nextest.ts";
import {
  projectFor,
  readAll,
  recordedRun,
  testFrameworkContract,
  toldIn,
} from "../../../contracts/test_framework_contract.ts";

const place = { scratch: "/s", events: "/s/events" };
const wordsOf = async (request: ProjectTestRequest) =>
  (await nextest.plan(projectFor(request), place)).runs[0]!.argv.slice(10);

t.test("is found by its configuration, after Cargo's own runner, and by its command", async (t) => {
  t.match(await nextest.detect(projectFor({}, { ".config/nextest.toml": "" })), { confidence: 80 });
  t.match(await nextest.detect(projectFor({ command: "cargo nextest run --release" })), { confidence: 95 });
  t.equal(
    await nextest.detect(projectFor({ command: "cargo test" }, { ".config/nextest.toml": "" })),
    undefined,
  );
  t.equal(await nextest.detect(projectFor({}, { "Cargo.toml": "" })), undefined);
});

t.test("levels are kinds of test programs, and a test is an expression", async (t) => {
  t.strictSame(await wordsOf({}), []);
  t.strictSame(await wordsOf({ level: "unit" }), ["-E", "kind(lib) | kind(bin)"]);
  t.strictSame(await wordsOf({ test: "tests::adds" }), ["-E", "test(=tests::adds)"]);
  t.strictSame(await wordsOf({ test: "adds" }), ["-E", "test(/(?:^|::)adds$/)"]);
  t.strictSame(await wordsOf({ command: "cargo nextest run --release" }), ["--release"]);
  await t.rejects(wordsOf({ command: "cargo nextest list" }), { code: "INVALID_INPUT" });
  t.strictSame(
    nextest.rerun!({ name: "tests::adds", suite: "shop::it", status: "failed" }, projectFor()).argv,
    [
      ...["cargo", "nextest", "run", "--package", "shop", "-E", "test(=tests::adds)"],
    ],
  );
});

t.test("programs side by side, an attempt after a first, a crash and a time limit", (t) => {
  testFrameworkContract(t, {
    framework: nextest,
    run: recordedRun("nextest/by_hand"),
    expected: [
      "passed [shop::shop] tests::adds",
      "skipped [shop::shop] tests::slow",
      "failed [shop::shop] tests::fails at src/lib.rs:9: assertion `left == right` failed",
      "passed [shop::it] whole",
      "failed [shop::it] aborts: --- EXECUTION ERRORS ---",
      "passed [shop::shop] tests::flaky",
      "failed [shop::it] hangs: time limit exceeded",
    ],
  });
  t.end();
});

t.test("a program without its end, or with other counts, leaves the run incomplete", (t) => {
  const of = { nextest: { crate: "a", test_binary: "a" } };
  const end = (...lines: object[]) =>
    toldIn(readAll(nextest.reader(projectFor()), {
      pieces: [["stdout", lines.map((line) => `${JSON.stringify(line)}\n`).join("")]],
      exit: { code: 0, signal: null },
    }));
  const begin = [
    { type: "suite", event: "started", test_count: 1, ...of },
    { type: "test", event: "started", name: "a::a$b" },
  ];
  const ok = { type: "test", event: "ok", name: "a::a$b" };
  t.strictSame(end(...begin, ok, { type: "suite", event: "ok", passed: 1, failed: 0, ...of }), [
    "passed [a::a] b",
  ]);
  t.match(end(...begin, ok)[1], /^broken \[a::a\]: the program ended with exit code 0/);
  t.match(
    end(...begin, ok, { type: "suite", event: "ok", passed: 2, failed: 0, ...of })[1],
    /counts 2 passed/,
  );
  t.end();
});

t.test("a project without tests is told how a first one is written", async (t) => {
  t.match(await nextest.withoutTests(projectFor({}, { "tests/it.rs": "" })), {
    testFiles: 1,
    hint: /doc tests/,
  });
});
