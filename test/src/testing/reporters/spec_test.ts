import { stripVTControlCharacters } from "node:util";
import t from "tap";
import spec from "../../../../src/testing/reporters/spec.ts";
import { columnWidth } from "../../../../src/core/columns.ts";
import { fullRun } from "./full_run.ts";
import { died, facts, finished, written } from "./recorded_run.ts";

const environmentLine = /Environment +docker \(pth-base-debian12\): the engine is ready/;

t.test("outside a terminal: plain lines only, everything a person needs", (t) => {
  const text = written(spec, facts, finished);
  // deno-lint-ignore no-control-regex -- control characters are what must not be there
  t.notMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  t.match(text, "! uncommitted changes are included");
  t.match(text, "✓ provision docker, debian12 (0.1 s)");
  t.match(text, environmentLine);
  t.match(text, "\necho\n  ✓ valid, required only\n  ✓ refuses missing message\n");
  t.match(text, /\nstore\n {2}✗ .*\(1\).*1\.5 s\n {2}- all properties {2}refused: needs a fixture/);
  t.match(text, "  ~ tools/list is well-formed  passed on the second run");
  t.match(text, /Failures\n\n {2}1\) store - /);
  t.match(text, "     Server crashed: exited with 1\n");
  t.match(text, /- +"three"|\+ +"three"/, "expected and actual as a diff");
  t.match(text, "the server's stderr:\n       Error: boom");
  t.match(text, "runtime-exception · 1.5 s · tests/store.yaml:7");
  t.match(text, "warning schema-not-enforced: echo accepted an input without message");
  t.match(text, "→ --strict makes schema-not-enforced a failure\n");
  t.match(text, "5 tests: 2 passed, 1 failed, 1 skipped, 1 flaky in 4.2 s");
  t.match(text, "Written      out.json");
  t.end();
});

t.test("what no test exercised is told with its reason, and in the last line", (t) => {
  const text = written(spec, facts, fullRun, { columns: 200 });
  t.match(text, "Not exercised\n  store: its tests fail: a <b>");
  t.match(text, "  fetch: refused, needs the network: getaddrinfo ENOTFOUND example.com\n");
  t.match(
    text,
    '  wipe: excluded: its name says "wipe"\n  → --include-destructive calls the excluded tools;',
  );
  for (const way of [".pth/tests", ".pth/learned.yaml (--learned FILE", "pth_generate_tests({ inputs })"]) {
    t.match(text.slice(text.indexOf("calls the excluded tools;")), way);
  }
  t.match(text, /\nTools +1 of 4 tools exercised; not: store, fetch, wipe \(why stands above\)\n$/);
  const exercise = [{ tool: "echo", state: "refused" }, { tool: "store", state: "not_reached" }] as const;
  const report = {
    ...finished.report!,
    summary: { ...finished.report!.summary, failed: 0 },
    exercise: [...exercise],
  };
  t.match(written(spec, [], { ...finished, report, exitCode: 1 }), "No tool was exercised.");
  t.end();
});

t.test("a test that passed, and failed in earlier runs, is told beside its name", (t) => {
  const noted = (note: string) =>
    facts.map((fact) =>
      fact.type === "test.finished" && fact.result.status === "passed"
        ? { ...fact, result: { ...fact.result, note } }
        : fact
    );
  const text = written(
    spec,
    noted("may be flaky: it failed 2 of the last 9 runs of the same source"),
    finished,
  );
  t.match(text, "✓ valid, required only  may be flaky: it failed 2 of the last 9 runs of the same source\n");
  const accepted = written(spec, noted("accepted although it is too long"), finished);
  t.match(accepted, "✓ valid, required only\n  ✓ accepted missing message (not enforced)\n");
  t.end();
});

t.test("whether a call succeeded is told in one sentence", (t) => {
  const text = written(
    spec,
    facts.map((fact) =>
      fact.type === "test.finished" && fact.result.status === "failed"
        ? {
          ...fact,
          result: {
            ...fact.result,
            expected: true,
            actual: false,
            message: "expected success, got an error",
          },
        }
        : fact
    ),
    finished,
  );
  t.match(text, "expected success, got an error\n");
  t.notMatch(text, /expected: true|actual: false/);
  t.end();
});

t.test("a test that people wrote, whose place is unknown, was generated from nothing", (t) => {
  const manual = facts.map((fact) => {
    if (fact.type !== "test.finished" || fact.result.status !== "failed") return fact;
    const { file: _file, line: _line, ...result } = fact.result;
    return { ...fact, result: { ...result, generatedFrom: "manual" as const } };
  });
  const text = written(spec, manual, finished);
  t.match(text, "\n     runtime-exception · 1.5 s\n");
  t.end();
});

t.test("--strict is offered only where it would change something", (t) => {
  const definition = { severity: "info", code: "missing-description", message: "no words" } as const;
  const report = { ...finished.report!, results: [], findings: [definition] };
  const text = written(spec, [], { ...finished, report });
  t.match(text, "info missing-description: no words");
  t.notMatch(text, "--strict");
  t.end();
});

t.test("the same tests give the same results whether the group order is mixed or not", (t) => {
  const mixed = [...facts.slice(0, 9), ...facts.slice(9, -1).reverse(), facts.at(-1)!];
  const text = written(spec, mixed, finished);
  t.match(text, "\necho\n");
  t.match(text, "\nstore\n");
  t.equal(text.match(/^ {2}[✓✗~-] /gm)?.length, 5);
  t.end();
});

t.test("in a terminal no line is wider than it, and what is running stands in the last line", (t) => {
  for (const columns of [20, 40, 80]) {
    const text = written(spec, facts, finished, { isTerminal: true, colour: true, columns });
    // deno-lint-ignore no-control-regex -- a redraw starts the line anew
    const lines = text.split(/\n|\r\u001b\[K/).map(stripVTControlCharacters);
    t.same(lines.filter((line) => columnWidth(line) > columns), [], `${columns} columns`);
  }
  const text = written(spec, facts, finished, { isTerminal: true });
  t.match(text, /⠋ provision {2}starting a container/);
  t.match(text, /suite 0\/5/);
  t.end();
});

t.test("colours only where they are wanted", (t) => {
  t.match(written(spec, facts, finished, { isTerminal: true, colour: true }), "\u001b[32m✓\u001b[39m");
  // deno-lint-ignore no-control-regex -- the sequences of colours
  t.notMatch(written(spec, facts, finished, { isTerminal: true }), /\u001b\[\d+m/);
  t.end();
});

t.test("a run that died shows the step that failed and no counts", (t) => {
  const text = written(spec, [...facts.slice(0, 5), {
    type: "step.failed",
    phase: "install",
    error: died.error,
  }], died);
  t.match(text, "✗ install   failed after");
  t.notMatch(text, "tests:");
  t.end();
});

t.test("results of a group that was not finished are shown all the same", (t) => {
  const text = written(spec, facts.slice(0, 11), { ...finished, exitCode: 130 });
  t.match(text, "\necho\n  ✓ valid, required only\n");
  t.end();
});

t.test("flaky tests, impact, performance and token cost are told in a few lines", (t) => {
  const text = written(spec, facts, fullRun);
  t.match(text, "Flaky\n  tools/list is well-formed: failed 1 of 4 times, 25 % of 40 known runs\n");
  t.match(text, "Coverage\n  lines 4 of 8 (50 %)");
  t.match(text, "Impact\n  2 tests mapped to what ran during each\n");
  t.match(text, "response time: store takes 900 ms where other tools take 8 ms");
  t.match(text, "the list of tools takes 900 tokens (o200k_base); most: store 700, echo 200");
  t.match(text, "--seed 42, part 1 of 2");
  t.notMatch(
    written(spec, facts, { ...finished, report: undefined } as never),
    /Coverage|Impact|Performance/,
  );
  t.end();
});
