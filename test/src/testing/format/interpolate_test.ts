import t from "tap";
import {
  escapeReferences,
  interpolateTest,
  interpolateTests,
} from "../../../../src/testing/format/interpolate.ts";
import { replaceVariables } from "../../../../src/testing/format/variables.ts";
import { testOf } from "../observed.ts";

const values = new Map([["KEY", "s3cret"], ["EMPTY", ""], ["DOT", "a.b"]]);

t.test("variables are put in everywhere a test speaks to the world", (t) => {
  const test = interpolateTest(
    testOf({
      name: "${env:KEY}",
      input: { a: "x ${env:KEY}${env:EMPTY} y", b: [{ c: "${env:KEY}" }], n: 1 },
      control: { input: { a: "${env:KEY}" } },
      expect: { output_contains: "${env:KEY}", output_json: { a: "${env:KEY}" } },
      verify: [{ exec: "echo ${env:KEY}", expect: { expect_stdout: "${env:KEY}" } }],
      setup: [{ file: { path: "f", content: "${env:KEY}" } }],
      teardown: [{ exec: "rm ${env:KEY}" }],
    }),
    values,
  );
  t.same(test.input, { a: "x s3cret y", b: [{ c: "s3cret" }], n: 1 });
  t.same(test.control, { input: { a: "s3cret" } });
  t.same(test.expect, { output_contains: "s3cret", output_json: { a: "s3cret" } });
  t.same(test.verify, [{ exec: "echo s3cret", expect: { expect_stdout: "s3cret" } }]);
  t.same(test.setup, [{ file: { path: "f", content: "s3cret" } }]);
  t.same(test.teardown, [{ exec: "rm s3cret" }]);
  t.equal(test.name, "${env:KEY}", "a name shows no secret");
  t.end();
});

t.test("only ${env:NAME} is a reference", (t) => {
  const input = { a: "$name ${NAME} $${env:KEY} {env:KEY}" };
  t.same(interpolateTest(testOf({ input }), values).input, { a: "$name ${NAME} ${env:KEY} {env:KEY}" });
  t.end();
});

t.test("in a pattern a value stands for itself", (t) => {
  const { expect } = interpolateTest(testOf({ expect: { output_matches: "^${env:DOT}$" } }), values);
  t.same(expect, { output_matches: "^a\\.b$" });
  t.end();
});

t.test("all unknown names of a suite are told at once, with their places", (t) => {
  const tests = [
    testOf({ file: "a.yaml", line: 3, input: { a: ["${env:NO}"] } }),
    testOf({ name: "made", expect: { output_contains: "${env:NIX} ${env:KEY}" } }),
  ];
  t.throws(() => interpolateTests(tests, values), {
    code: "INVALID_TEST_FILE",
    message: /a\.yaml:3 input\.a\[0\]: \$\{env:NO\} .*\ntest "made" expect\.output_contains: \$\{env:NIX\}/,
  });
  t.end();
});

t.test("escaped text comes out as it was", (t) => {
  for (const text of ["${env:KEY}", "$${env:KEY}", "$$${env:X} $ ${", "plain"]) {
    t.same(
      interpolateTest(testOf({ input: { a: escapeReferences(text) } }), values).input,
      { a: text },
      text,
    );
  }
  t.end();
});

t.test("in steps a dollar of a value stays one, where variables are replaced later", (t) => {
  const values = new Map([["KEY", "pa$id"]]);
  const action = { kind: "call" as const, tool: "x", input: { a: "${env:KEY} $id" } };
  const step = {
    action,
    expect: { output_contains: "${env:KEY}" },
    capture: { id: "$.output" },
    verify: [{ exec: "echo ${env:KEY}", expect: {} }],
    replies: { sampling: [{ text: "${env:KEY}" }], roots: [{ uri: "file:///${env:KEY}" }] },
    line: 3,
  };
  const [filled] = interpolateTest(testOf({ steps: [step] }), values).steps!;
  t.same(filled, {
    ...step,
    action: { ...action, input: { a: "pa$$id $id" } },
    expect: { output_contains: "pa$id" },
    verify: [{ exec: "echo pa$id", expect: {} }],
    replies: { sampling: [{ text: "pa$$id" }], roots: [{ uri: "file:///pa$id" }] },
  });
  t.same(replaceVariables(filled!.action, { id: 7 }), { ...action, input: { a: "pa$id 7" } });
  const unknown = { ...step, action: { kind: "read_resource" as const, uri: "a://${env:NO}" } };
  t.throws(() => interpolateTest(testOf({ file: "a.yaml", line: 2, steps: [step, unknown] }), values), {
    message: /a\.yaml:2 steps\[1\]\.uri: \$\{env:NO\} names no variable/,
  });
  t.end();
});
