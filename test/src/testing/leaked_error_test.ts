import t from "tap";
import { failureKind } from "../../../src/testing/leaked_error.ts";
import { answered, refused, rpcError } from "./observed.ts";

const stack =
  "Error: boom\n    at run (file:///srv/index.js:3:7)\n    at async main (file:///srv/index.js:9:3)";
const python = "Traceback (most recent call last):\n  File \"server.py\", line 3, in f\nKeyError: 'x'";

const leaks: [string, ReturnType<typeof failureKind>][] = [
  ["this.store.lookup is not a function", "runtime-exception"],
  ["Error executing tool: Cannot read properties of undefined (reading 'length')", "runtime-exception"],
  ["ReferenceError: settings is not defined", "runtime-exception"],
  ["items is not iterable", "runtime-exception"],
  [stack, "runtime-exception"],
  [python, "runtime-exception"],
  ["NameError: name 'cfg' is not defined", "runtime-exception"],
  ["'NoneType' object has no attribute 'get'", "runtime-exception"],
  ["thread 'main' panicked at src/main.rs:4:5:\nindex out of bounds", "runtime-exception"],
  ["panic: runtime error: index out of range [3]\n\ngoroutine 1 [running]:", "runtime-exception"],
  ["runtime error: invalid memory address or nil pointer dereference", "runtime-exception"],
  ["Cannot find package 'left-pad' imported from /srv/index.mjs", "dependency-error"],
  ["Error: Cannot find module './lib/gone.js'", "dependency-error"],
  ["ModuleNotFoundError: No module named 'requests'", "dependency-error"],
];

t.test("errors that the server's code did not foresee are told by their text", (t) => {
  for (const [text, kind] of leaks) {
    t.equal(failureKind(refused(text), { message: "hi" }), kind, text);
    t.equal(failureKind(rpcError(text), { message: "hi" }), kind, `as JSON-RPC error: ${text}`);
  }
  t.end();
});

t.test("foreseen errors are none", (t) => {
  const honest = [
    "File not found: pth-example.txt",
    "Invalid arguments for tool echo: expected string, received undefined",
    "Command failed at step 3: see log at /tmp/a.log:12",
    "ENOENT: no such file or directory, open 'pth-example.txt'",
    "The package left-pad was not found in the registry",
    "function is not available on this plan",
    "Input validation error: 'message' is a required property",
    "User 'x' is not defined in the directory",
  ];
  for (const text of honest) t.equal(failureKind(refused(text), { message: "hi" }), undefined, text);
  t.end();
});

t.test("errors about code or names that the input brought are the caller's", (t) => {
  t.equal(failureKind(refused("ReferenceError: example is not defined"), { code: "example" }), undefined);
  t.equal(failureKind(refused(python), { code: "example" }), undefined);
  t.equal(failureKind(refused("Cannot find module 'example'"), { name: "example" }), undefined);
  t.end();
});

t.test("a successful answer counts only when it is an exception and nothing else", (t) => {
  const source = `Contents of a.js:\n${stack}\nif (x) throw new TypeError("fn is not a function");`;
  t.equal(failureKind(answered(source), {}), undefined, "a file that holds such words");
  t.equal(
    failureKind(answered("A TypeError: x is not a function means that x is no function."), {}),
    undefined,
  );
  t.equal(failureKind(answered("TypeError: db.find is not a function"), {}), "runtime-exception");
  t.equal(failureKind(answered("db.find is not a function"), {}), "runtime-exception");
  t.equal(failureKind(answered(stack), {}), "runtime-exception");
  t.equal(failureKind(answered(python), {}), "runtime-exception");
  t.equal(failureKind(answered("Echo: TypeError: db.find is not a function"), {}), undefined);
  t.end();
});
