import t from "tap";
import { judge } from "../../../src/testing/judge/judge.ts";
import { answered, observed, testOf } from "./observed.ts";

t.test("an answer made for a pattern fails its own test within seconds", (t) => {
  // No repeated group: nothing tells beforehand that it is slow on long texts.
  const test = testOf({ expect: { output_matches: "a*a*a*a*b$" } });
  const outcome = answered("a".repeat(20_000));
  const before = performance.now();
  const verdict = judge(test, observed({ outcome }));
  t.ok(performance.now() - before < 30_000);
  t.match(verdict, { status: "failed", category: "wrong-output" });
  t.match(verdict.message, "could not be matched with /a*a*a*a*b$/ within 1 s: the pattern runs away");
  t.end();
});

t.test("a command's output made for a pattern fails its own test as well", (t) => {
  const command = { exec: "cat log", expect: { expect_stdout_matches_i: "A*A*A*A*B$" } };
  const commands = [{ command, result: { code: 0, stdout: "a".repeat(20_000), stderr: "" } }];
  const verdict = judge(testOf({ verify: [command] }), observed({ outcome: answered("ok"), commands }));
  t.match(verdict, { status: "failed", category: "missing-side-effect", message: /runs away/ });
  t.end();
});
