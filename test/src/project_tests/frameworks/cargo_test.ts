import t from "tap";
import { hostFolder } from "../../../../src/plugin/readable_folder.ts";
import cargo from "../../../../src/project_tests/frameworks/cargo.ts";
import {
  projectFor,
  readAll,
  recordedRun,
  testFrameworkContract,
  toldIn,
} from "../../../contracts/test_framework_contract.ts";

const place = { scratch: "/scratch", events: "/scratch/events" };
const files = { "Cargo.toml": "" };

const target = (kind: string, name: string, doctest = false) => ({ kind: [kind], name, doctest, test: true });
const metadataOf = (...targets: unknown[]) => ({
  "cargo metadata --no-deps --format-version 1 --offline": {
    stdout: JSON.stringify({ packages: [{ manifest_path: "/project/Cargo.toml", targets }] }),
  },
  "rustc -vV": { stdout: "rustc 1.95.0\nhost: aarch64-unknown-linux-gnu\n" },
});
const whole = metadataOf(target("lib", "cg", true), target("bin", "cg"), target("test", "it"));

t.test("tests of libraries, programs and files of tests, and of programs that abort, exit or forge", (t) => {
  testFrameworkContract(t, {
    framework: cargo,
    run: recordedRun("cargo/programs"),
    expected: [
      'failed [--lib] parser::tests::bad at src/lib.rs:15: assertion `left == right` failed: lengths of "ab"',
      "failed [--lib] parser::tests::calm at src/lib.rs:18: test did not panic as expected at src/lib.rs:18:36",
      "passed [--lib] parser::tests::ok",
      "failed [--lib] parser::tests::panics at src/lib.rs:17: yes",
      'failed [--lib] parser::tests::result: Error: "broken"',
      "skipped [--lib] parser::tests::slow: slow",
      "failed [--lib] parser::tests::thread at src/lib.rs:20: " +
      "called `Result::unwrap()` on an `Err` value: Any { .. }",
      "passed [--lib] parser::tests::raw",
      "passed [--bin cg] of_the_program",
      "passed [--test aborts] fine",
      "broken [--test aborts]: the program ended by signal 6 before its tests did",
      "passed [--test exits] a_fine",
      "broken [--test exits]: the program ended with exit code 0 before its tests did",
      "passed [--test forges] forges",
      "broken [--test forges]: the program ended with exit code 101, though no test of it failed; " +
      "forges is told to be passed, and then failed",
      "passed [--test it] whole",
      "broken [--test overflows]: the program ended by signal 6 before its tests did: " +
      "fatal runtime error: stack overflow, aborting",
      "passed [--test plain] tests/plain.rs",
    ],
  });
  t.end();
});

t.test("doc tests are told by the place that they stand at", (t) => {
  testFrameworkContract(t, {
    framework: cargo,
    run: recordedRun("cargo/doc_tests"),
    expected: [
      "passed [--doc] src/lib.rs - parser::parse (line 4)",
      "failed [--doc] src/lib.rs - parser::parse (line 7) at src/lib.rs:7: assertion `left == right` failed",
    ],
  });
  t.end();
});

t.test("a failure has its output, its frames, and the panic of the thread that it waited for", (t) => {
  const events = readAll(cargo.reader(projectFor()), recordedRun("cargo/backtrace"));
  const failed = events.flatMap((event) =>
    event.type === "finished" && event.test.name === "parser::tests::thread" ? [event.outcome] : []
  );
  t.match(failed, [{
    message: /Any \{ \.\. \}\nafter thread '<unnamed>' panicked at src\/lib\.rs:20:53:\nin a thread$/,
    stack: ["cg::parser::tests::thread (src/lib.rs:20:83)", /closure/],
  }]);
  t.match(
    events.find((event) => event.type === "output" && event.test?.name === "parser::tests::ok"),
    { text: 'hello\n{ "type": "test"}\n' },
  );
  t.end();
});

t.test("paths of a workspace are told relative to the member that is the project", (t) => {
  const run = recordedRun("cargo/programs");
  const moved = {
    ...run,
    pieces: run.pieces.map(([stream, text]): typeof run.pieces[number] => [
      stream,
      text.replaceAll("/project", "/all/member").replaceAll(" src/lib.rs:", " member/src/lib.rs:"),
    ]),
  };
  const events = readAll(cargo.reader({ ...projectFor(), root: "/all/member" }), moved);
  t.match(toldIn(events)[0], /bad at src\/lib\.rs:15/);
  t.end();
});

t.test("errors of the compiler are failures with their places, each once", (t) => {
  const root = "/project";
  const message = (file: string) =>
    JSON.stringify({
      reason: "compiler-message",
      manifest_path: "/project/Cargo.toml",
      message: {
        level: "error",
        message: "mismatched types",
        rendered: "error[E0308]: mismatched types\n --> src/lib.rs:3:9\n",
        spans: [{ file_name: file, line_start: 3, column_start: 9, is_primary: true }],
      },
    });
  const stdout = `${message("src/lib.rs")}\n${message("src/lib.rs")}\n${
    message("tests/it.rs")
  }\n{"reason":"compiler-m`;
  const read = (result: { stdout?: string; stderr?: string }) =>
    toldIn(
      cargo.readPreparation!({ code: 101, stdout: "", stderr: "", ...result }, { ...projectFor(), root }),
    );
  t.strictSame(read({ stdout }), [
    "not run at src/lib.rs:3: error[E0308]: mismatched types",
    "not run at tests/it.rs:3: error[E0308]: mismatched types",
  ]);
  t.strictSame(
    read({ stderr: "error: failed to parse manifest at `/project/Cargo.toml`\n\nCaused by:\n  no targets" }),
    ["not run at Cargo.toml:?: error: failed to parse manifest at `/project/Cargo.toml`"],
  );
  t.end();
});

t.test("a project with Cargo.toml fits, but for a command that is another program's", async (t) => {
  t.match(await cargo.detect(projectFor({}, files)), { confidence: 90 });
  t.match(await cargo.detect(projectFor({ command: "cargo test --all-features" }, files)), {
    confidence: 90,
  });
  t.equal(await cargo.detect(projectFor({ command: "./build/tests" }, files)), undefined);
  t.equal(await cargo.detect(projectFor()), undefined);
});

t.test("levels pick targets, and doc tests are a run of their own", async (t) => {
  const runsOf = async (request: Parameters<typeof projectFor>[0], probes = whole) => {
    const { runs } = await cargo.plan(projectFor(request, files, probes), place);
    return runs.map(({ argv }) => argv.slice(3).join(" ").replace(/ ?--message-format.*/, ""));
  };
  t.strictSame(await runsOf({}), ["--tests", "--doc"]);
  t.strictSame(await runsOf({ level: "unit" }), ["--lib --bins"]);
  t.strictSame(await runsOf({ level: "integration" }), ["--test *"]);
  await t.rejects(runsOf({ level: "e2e" }), {
    code: "INVALID_INPUT",
    message: /no file in tests\/ begins with e2e/,
  });
  t.strictSame(await runsOf({ command: "cargo test --all-features" }), [
    "--all-features --tests",
    "--all-features --doc",
  ]);
  t.strictSame(await runsOf({ command: "cargo test --test it" }), ["--test it"]);
  await t.rejects(runsOf({ command: "cargo test; rm x" }), { code: "INVALID_INPUT" });
  t.strictSame(await runsOf({}, metadataOf(target("bin", "cg"))), ["--tests"], "no library, no doc tests");
  const linked = { ...projectFor({}, files, whole), root: "/link" };
  t.equal((await cargo.plan(linked, place)).runs.length, 2, "a folder that is a link loses no doc tests");
  t.strictSame(await runsOf({ test: "src/lib.rs - parser::parse (line 7)" }), ["--doc -- parser::parse"]);
});

t.test("a single test is picked by the runner, by all of its path or the end of it", async (t) => {
  const { runs, preparation } = await cargo.plan(projectFor({ test: "tests::bad" }, files, whole), place);
  t.equal(runs.length, 1);
  t.match(runs[0], {
    argv: ["cargo", "test", "--no-fail-fast", "--tests", "--message-format", "json", "--config"],
    env: { PTH_CARGO_TEST: "tests::bad" },
  });
  t.equal(runs[0]!.argv.at(-1), 'target.aarch64-unknown-linux-gnu.runner=["sh","/scratch/cargo_runner.sh"]');
  t.match(preparation[0]!.argv.join(" "), /^cargo test --no-run --message-format json$/);
  const config = '[build]\ntarget = "wasm32-wasi"\n[target.wasm32-wasi]\nrunner = "wasmtime"\n';
  const given = await cargo.plan(projectFor({}, { ...files, ".cargo/config.toml": config }, whole), place);
  t.equal(
    given.runs[0]!.argv.at(-1),
    'target.wasm32-wasi.runner="sh /scratch/cargo_runner.sh"',
    "a runner of the project's that is a text is replaced by one",
  );
});

t.test("a failed test has a command that runs it alone, and functions that are worth a trace", (t) => {
  const rerun = (name: string, suite: string) =>
    cargo.rerun!({ name, suite, status: "failed" }, projectFor()).argv.join(" ");
  t.equal(rerun("parser::tests::bad", "-p cg --lib"), "cargo test -p cg --lib -- --exact parser::tests::bad");
  t.equal(rerun("tests/plain.rs", "--test plain"), "cargo test --test plain");
  t.equal(rerun("src/lib.rs - parser::parse (line 7)", "--doc"), "cargo test --doc -- parser::parse");
  t.equal(rerun("src/lib.rs - (line 7)", "--doc"), "cargo test --doc -- src/lib.rs");
  t.strictSame(
    cargo.suggestTraces!({
      name: "parser::tests::bad",
      suite: "--lib",
      status: "failed",
      message: "called `cg::lexer::next()` twice, core::option::unwrap_failed(",
      stack: [
        "<T as cg::X>::y (src/x.rs:1:1)",
        "<cg::shapes::Square<T> as cg::shapes::Shape>::area (src/shapes.rs:4:9)",
        "cg::stack::Stack<alloc::vec::Vec<T>>::push::<u8> (src/stack.rs:2:1)",
        "cg::parser::parse::h0123456789abcdef (src/lib.rs:10:5)",
        "cg::parser::tests::bad (src/lib.rs:15:9)",
      ],
    }),
    [
      "cg::shapes::Square::area",
      "cg::stack::Stack::push",
      "cg::parser::parse",
      "cg::lexer::next",
      "parser::*",
    ],
  );
  t.strictSame(cargo.suggestTraces!({ name: "whole", suite: "-p my-crate --test it", status: "failed" }), [
    "my_crate::*",
  ]);
  t.end();
});

t.test("10,000 tests in one program, and 100 MB of output past the harness", (t) => {
  const reader = cargo.reader(projectFor());
  const lines = [
    "##pth libtest\t/project\t/project/a",
    '{ "type": "suite", "event": "started", "test_count": 10000 }',
  ];
  for (let at = 0; at < 10_000; at++) {
    lines.push(`{ "type": "test", "event": "started", "name": "t${at}" }`);
    lines.push(`{ "type": "test", "name": "t${at}", "event": "ok", "exec_time": 0.000001 }`);
  }
  const events = reader.push("stdout", `${lines.join("\n")}\n`);
  const flood = "x".repeat(64 * 1024);
  let told = 0;
  for (let piece = 0; piece < 1600; piece++) {
    told += reader.push("stdout", flood).length + reader.push("stderr", `${flood}\n`).length;
  }
  events.push(...reader.push(
    "stdout",
    '\n{ "type": "suite", "event": "ok", "passed": 10000, "failed": 0, "ignored": 0, "measured": 0 }\n##pth ended\t0\n',
  ));
  events.push(...reader.end({ code: 0, signal: null }));
  t.equal(events.filter(({ type }) => type === "finished").length, 10_000);
  t.equal(told, 1600, "a line without an end is kept back");
  const longest = Math.max(...events.map((event) => event.type === "output" ? event.text.length : 0));
  t.ok(longest > 100_000 && longest < 200_000, "and is cut in the middle");
  t.match(events.at(-1), { type: "suite_ended", complete: true });
  t.end();
});

t.test("an event that is longer than a line may be keeps its test and the end of its output", (t) => {
  const reader = cargo.reader(projectFor());
  const printed = "words and more \\n".repeat(200_000);
  const events = readAll(reader, {
    pieces: [["stdout", "##pth libtest\t/project\t/project/a\n"], [
      "stdout",
      '{ "type": "suite", "event": "started", "test_count": 1 }\n{ "type": "test", "event": "started", "name": "a" }\n' +
      `{ "type": "test", "name": "a", "event": "failed", "stdout": "${printed}thread 'a' panicked at src/a.rs:1:2:\\nend" }\n`,
    ]],
    exit: { code: 101, signal: null },
  });
  t.match(toldIn(events)[0], "failed [a] a at src/a.rs:1: end");
  t.end();
});

t.test("a project without tests is told how a first one is written", async (t) => {
  const none = await cargo.withoutTests(
    projectFor({}, { "Cargo.toml": "", "src/lib.rs": "", "tests/it.rs": "" }),
  );
  t.match(none, { language: "rust", buildSystem: "cargo", testFiles: 1, hint: /inline #\[test\] functions/ });
  const here = new URL("../../../..", import.meta.url).pathname;
  t.equal((await cargo.withoutTests({ ...projectFor(), folder: hostFolder(here) })).testFiles, 0);
});
