import t from "tap";
import { failureKind, showsInternalError } from "../../../../src/testing/judge/failure_kind.ts";
import { traceSignature } from "../../../../src/testing/fuzz/common_text.ts";
import { answered, refused, rpcError } from "../observed.ts";

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

const systemErrors = [
  "Error reading file: ENOENT: no such file or directory, open '/x'",
  "Failed to fetch: getaddrinfo ENOTFOUND",
  "Error: Could not read notes: ENOENT: no such file or directory, open '/x'\n    at open (node:fs:1:2)\n    at run (/srv/a.js:3:1)",
  "Search failed: fetch failed\n    at node:internal/deps/undici/undici:1:2\n    at run (file:///srv/a.js:3:1)",
  'Cannot download page: Traceback (most recent call last):\n  File "a.py", line 3, in get\nConnectionError: Connection refused',
  "Failed to launch the browser process!\nchrome: error while loading shared libraries: libnss3.so: cannot open shared object file",
];

/** The same without words of the tool's own, or with a mistake of its code. */
const unforeseenSystemErrors = [
  "Error: ENOENT: no such file or directory, open '/x'\n    at open (node:fs:1:2)\n    at run (/srv/a.js:3:1)",
  "TypeError: fetch failed\n    at node:internal/deps/undici/undici:1:2\n    at run (file:///srv/a.js:3:1)",
  'Traceback (most recent call last):\n  File "a.py", line 3, in get\nConnectionError: Connection refused',
  "Error executing tool get: ENOENT: no such file\n    at open (node:fs:1:2)\n    at run (/srv/a.js:3:1)",
  "ImportError: libGL.so.1: cannot open shared object file: No such file or directory",
  "Could not read notes: ENOENT: no such file; then notes.map is not a function",
];

t.test("a message of the system behind words of the tool's own was foreseen, alone it was not", (t) => {
  for (const text of systemErrors) t.equal(failureKind(refused(text), { message: "hi" }), undefined, text);
  for (const text of unforeseenSystemErrors) t.ok(failureKind(refused(text), { message: "hi" }), text);
  t.end();
});

const trace = (...lines: string[]) => ["Traceback (most recent call last):", ...lines].join("\n");
const ofServer = '  File "/srv/server.py", line 31, in call_tool';
const frames = "    at run (file:///srv/index.js:3:7)\n    at async main (file:///srv/index.js:9:3)";

/** Messages of real servers, interpreters and databases, with inputs that explain them. */
const callers: [string, Record<string, unknown>][] = [
  ["ReferenceError: example is not defined", { code: "example" }],
  [`ReferenceError: example is not defined\n${frames}`, { anything: "example + 1" }],
  [trace('  File "<string>", line 1, in <module>', "NameError: name 'example' is not defined"), {
    python: "example",
  }],
  [trace(ofServer, '  File "<string>", line 1', "    hello world", "SyntaxError: invalid syntax"), {
    text: "hello world",
  }],
  [trace('  File "/tmp/tmpx1.py", line 2, in <module>', "    1 / 0", "ZeroDivisionError: division by zero"), {
    source: "x = 1\n1 / 0",
  }],
  ["/tmp/run-1.js:1\nlet let = 1\n    ^^^\nSyntaxError: let is disallowed\n" + frames, {
    body: "let let = 1",
  }],
  [`evalmachine.<anonymous>:1\nfoo bar\n    ^^^\n\nSyntaxError: Unexpected identifier 'bar'\n${frames}`, {
    js: "foo bar",
  }],
  ["TypeError: Cannot read properties of null (reading 'rows')\n    at <anonymous>:1:6\n" + frames, {
    q: "null.rows",
  }],
  ["Cannot read properties of undefined (reading 'rows')", { q: "result.rows.length" }],
  ["rows.each is not a function", { q: "rows.each(print)" }],
  [trace(ofServer, 'sqlite3.OperationalError: near "example": syntax error'), { query: "example" }],
  [trace(ofServer, "sqlite3.OperationalError: no such table: orders"), { query: "SELECT * FROM orders" }],
  [trace(ofServer, "sqlite3.OperationalError: incomplete input"), { query: "SELECT" }],
  [`error: syntax error at or near "pth"\n${frames}`, { statement: "pth" }],
  [
    `Error: You have an error in your SQL syntax; check the manual for the right syntax to use near 'pth' at line 1\n${frames}`,
    {
      sql: "pth",
    },
  ],
  [`error: relation "orders" does not exist\n${frames}`, { q: "select 1 from orders" }],
  [trace(ofServer, "jinja2.exceptions.UndefinedError: 'user' is undefined"), { template: "{{ user.name }}" }],
  [
    `SyntaxError: Unexpected token 'p', "pth-example" is not valid JSON\n    at JSON.parse (<anonymous>)\n${frames}`,
    {
      json: "pth-example",
    },
  ],
  [`SyntaxError: Unexpected token e in JSON at position 0\n    at JSON.parse (<anonymous>)\n${frames}`, {
    x: "example",
  }],
  [`SyntaxError: Unexpected end of JSON input\n    at JSON.parse (<anonymous>)\n${frames}`, { x: "{" }],
  [trace(ofServer, "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)"), {
    data: "example",
  }],
  [`SyntaxError: Invalid regular expression: /(/: Unterminated group\n${frames}`, { pattern: "(" }],
  [trace(ofServer, "re.error: missing ), unterminated subpattern at position 0"), { pattern: "(" }],
  [
    `Error: Command failed: example --x\n/bin/sh: 1: example: not found\n    at ChildProcess.exithandler (node:child_process:422:12)\n${frames}`,
    {
      command: "example --x",
    },
  ],
  [
    trace(
      '  File "/usr/lib/python3.11/subprocess.py", line 1901, in _execute_child',
      "FileNotFoundError: [Errno 2] No such file or directory: 'example'",
    ),
    {
      cmd: "example",
    },
  ],
  ["Cannot find module 'example'", { name: "example" }],
  [`Echo: ${stack}`, { message: stack }],
];

/** What the input does not explain, whatever its parameters are called. */
const servers: [string, Record<string, unknown>][] = [
  ["Cannot read properties of undefined (reading 'rows')", { query: "example" }],
  ["TypeError: db.query is not a function", { query: "example" }],
  ["ReferenceError: query is not defined", { query: "example" }],
  ["items is not iterable", { items: "example" }],
  [stack, { source: "example" }],
  [stack, { code: "example", body: "example" }],
  [python, { body: "example" }],
  [trace(ofServer, "KeyError: 'example'"), { body: "example" }],
  [trace(ofServer, "sqlite3.OperationalError: no such table: users"), { query: "pth example" }],
  [trace(ofServer, 'sqlite3.OperationalError: near "FORM": syntax error'), { query: "an example near here" }],
  [`error: relation "users" does not exist\n${frames}`, { sql: "example" }],
  [`SyntaxError: Unexpected token '<', "<!DOCTYPE "... is not valid JSON\n${frames}`, { query: "example" }],
  [`SyntaxError: Unexpected token < in JSON at position 0\n${frames}`, { query: "example" }],
  [`SyntaxError: Unexpected end of JSON input\n${frames}`, { query: "example" }],
  [
    trace(
      '  File "/usr/lib/python3/dist-packages/requests/models.py", line 975, in json',
      "requests.exceptions.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
    ),
    {
      query: "example",
    },
  ],
  [trace(ofServer, '  File "<frozen importlib._bootstrap>", line 1027, in _find_and_load', "KeyError: 'x'"), {
    code: "example",
  }],
  [
    trace(
      ofServer,
      '  File "<string>", line 3, in __init__',
      "TypeError: __init__() missing 1 required positional argument: 'b'",
    ),
    {
      code: "example",
    },
  ],
  ["thread 'main' panicked at src/main.rs:4:5:\nindex out of bounds", { command: "example" }],
  ["Cannot find package 'left-pad' imported from /srv/index.mjs", { script: "example" }],
  [
    `Error: Command failed: git status\n    at ChildProcess.exithandler (node:child_process:422:12)\n${frames}`,
    {
      command: "example",
    },
  ],
  ["'NoneType' object has no attribute 'get'", { args: ["example"], fn: "example" }],
];

t.test("an error about what the input brought is the caller's", (t) => {
  for (const [text, input] of callers) t.equal(failureKind(refused(text), input), undefined, text);
  t.end();
});

t.test("the name of a parameter excuses nothing", (t) => {
  for (const [text, input] of servers) t.ok(failureKind(refused(text), input), text);
  t.end();
});

t.test("long lines and many of them are judged at once", (t) => {
  const started = performance.now();
  for (const piece of [" returned", "'a", '"', ": E", ", line 1, in x", "relation a does not exist ", ":1"]) {
    failureKind(refused(`Traceback (most recent call last):\n${piece.repeat(100_000)}`), { code: "a(b" });
    failureKind(refused(`${piece}\n`.repeat(50_000)), { code: "a(b" });
  }
  t.ok(performance.now() - started < 5000);
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

t.test("words of any length are looked at in no time to speak of", (t) => {
  for (const sign of ["e", "a.", "Error: ", "'", "at x:1 ", "[(", "thread '"]) {
    const text = sign.repeat(3_000_000 / sign.length);
    const before = performance.now();
    failureKind({ kind: "result", raw: {}, text, isError: true, violations: [], durationMs: 1 }, {});
    showsInternalError(text);
    traceSignature(text);
    t.ok(performance.now() - before < 5_000, `${sign}: ${performance.now() - before} ms`);
  }
  t.end();
});
