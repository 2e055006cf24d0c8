import t from "tap";
import { categorizeFailure } from "../../../src/diagnosis/categorize_failure.ts";
import type { Symptoms } from "../../../src/diagnosis/symptoms.ts";
import type { FailureCategory } from "../../../machines/model/verdict.ts";

const symptoms = (verdict: FailureCategory, more: Partial<Symptoms>): Symptoms => ({
  verdict,
  verdictSays: "the verdict.",
  message: "",
  output: "",
  strayOutput: [],
  commands: [],
  loading: false,
  isOwnModule: (name) => name.startsWith("helpers"),
  ...more,
});

const category = (verdict: FailureCategory, more: Partial<Symptoms>) =>
  categorizeFailure(symptoms(verdict, more)).category;
const refused = (text: string, code?: number) => ({
  answer: { text, isError: true, ...(code === undefined ? {} : { code }) },
});

t.test("without other evidence the verdict stands", (t) => {
  t.strictSame(categorizeFailure(symptoms("timeout", {})), {
    category: "timeout",
    evidence: ["the verdict."],
    cause: "the verdict",
  });
  t.end();
});

t.test("an answer that is an exception's text is an exception", (t) => {
  for (
    const text of [
      "TypeError: x",
      "rates is not defined",
      "'NoneType' object has no attribute 'count'",
      "Error executing tool add: 3",
    ]
  ) {
    t.equal(category("wrong-output", refused(text)), "runtime-exception", text);
  }
  t.equal(category("wrong-output", refused("internal", -32603)), "runtime-exception");
  t.equal(category("wrong-output", refused("the name is too long")), "wrong-output");
  t.equal(
    category("wrong-output", { ...refused("failed"), output: "Traceback (most recent call last):\n" }),
    "runtime-exception",
  );
  t.equal(category("wrong-output", { answer: { text: "TypeError: x", isError: false } }), "wrong-output");
  t.end();
});

t.test("what is missing in the environment is a dependency; the plugin's own module is the build's", (t) => {
  for (
    const text of [
      "Cannot find package 'table' imported from /p/a.mjs",
      "ModuleNotFoundError: No module named 'yaml'",
      "spawn convert ENOENT",
      "sh: 1: convert: not found",
      "connect ECONNREFUSED 127.0.0.1:5432",
      "getaddrinfo ENOTFOUND db.internal",
      "libssl.so.3: cannot open shared object file",
    ]
  ) t.equal(category("runtime-exception", refused(text)), "dependency-error", text);
  t.equal(
    category("runtime-exception", refused("Cannot find module '/p/lib/x.js' imported from /p/a.js")),
    "build-failure",
  );
  t.equal(category("runtime-exception", refused("No module named 'helpers.text'")), "build-failure");
  t.equal(category("timeout", { output: "connect ECONNREFUSED 127.0.0.1:5432" }), "timeout");
  t.end();
});

t.test("a build that fails stays the build's, unless a program is missing", (t) => {
  const loading = { loading: true };
  t.equal(
    category("build-failure", { ...loading, output: "x.ts(1,1): error TS2307: Cannot find module 'y'" }),
    "build-failure",
  );
  t.equal(category("build-failure", { ...loading, output: "sh: 1: tsc: not found" }), "dependency-error");
  t.equal(
    category("build-failure", { ...loading, output: "ERROR: No matching distribution found for nothing" }),
    "dependency-error",
  );
  t.equal(
    category("runtime-exception", {
      ...loading,
      output: '  File "/p/s.py", line 1\nIndentationError: unexpected indent',
    }),
    "build-failure",
  );
  t.equal(
    category("runtime-exception", refused("SyntaxError: Unexpected token 'a', \"abc\" is not valid JSON")),
    "runtime-exception",
  );
  t.end();
});

t.test("a command that looks for an absence and fails saw an unwanted change", (t) => {
  const command = (exec: string, code: number, expect = {}, stdout = "") => ({
    commands: [{ exec, expect, code, stdout, stderr: "" }],
  });
  const verdict = "missing-side-effect";
  t.equal(category(verdict, command("test ! -e out.txt", 1)), "unexpected-side-effect");
  t.equal(
    category(verdict, command("test -e out.txt", 0, { expect_exit_code: 1 })),
    "unexpected-side-effect",
  );
  t.equal(category(verdict, command("ls out", 0, { expect_stdout: "" }, "x")), "unexpected-side-effect");
  t.equal(category(verdict, command("diff -r before after", 1)), "unexpected-side-effect");
  t.equal(category(verdict, command("test -e out.txt", 1)), "missing-side-effect");
  t.end();
});

t.test("the SDKs' validation errors are breaches of a schema", (t) => {
  t.equal(
    category(
      "wrong-output",
      refused("MCP error -32602: Output validation error: Invalid structured content"),
    ),
    "schema-violation",
  );
  t.equal(
    category("wrong-output", refused("1 validation error for addArguments\na\n  Field required")),
    "schema-violation",
  );
  t.end();
});

t.test("a result that the server's own library refuses is the protocol's affair", (t) => {
  const text =
    'MCP error -32602: Invalid tools/call result: [{ "path": ["content"] }, { "path": ["content", 0, "text"] }]';
  t.match(categorizeFailure(symptoms("wrong-output", refused(text, -32602))), {
    category: "protocol-error",
    cause: "Invalid tools/call result at content.0.text",
  });
  t.end();
});

t.test("an answer that came, but on a line with other output, is no timeout", (t) => {
  const spoilt = ['working ...{"jsonrpc":"2.0","id":3,"result":{}}'];
  t.equal(category("timeout", { strayOutput: spoilt }), "protocol-error");
  t.equal(category("timeout", { strayOutput: ["working ..."] }), "timeout");
  t.end();
});

t.test("a cause is told in few words: the exception, or what came where something else was expected", (t) => {
  const cause = (verdict: FailureCategory, more: Partial<Symptoms>) =>
    categorizeFailure(symptoms(verdict, more)).cause;
  t.equal(
    cause("wrong-output", { verdictSays: "add: output_equals: no.", expected: "5", actual: "-1" }),
    'add answers "-1" where "5" is expected',
  );
  t.equal(
    cause("runtime-exception", {
      verdictSays: "it ended.",
      output: "x\nError: index is corrupt\n    at f (/p/a.js:1:1)\n",
    }),
    "it ended: Error: index is corrupt",
  );
  t.equal(cause("wrong-output", refused("TypeError: x is null\n    at y")), "TypeError: x is null");
  t.equal(
    cause("dependency-error", { message: "Error: Cannot find package 'yaml' imported from /p/x.js" }),
    "Module yaml is missing in the environment",
  );
  t.end();
});
