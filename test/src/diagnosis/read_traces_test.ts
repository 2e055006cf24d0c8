import t from "tap";
import { readTraces } from "../../../src/diagnosis/read_traces.ts";

const first = (text: string) => readTraces(text)[0];

t.test("the innermost frame comes first, in every language", (t) => {
  t.match(
    first("TypeError: x\n    at parse (file:///src/lib/a.js:3:9)\n    at async run (/src/b.js:10:1)\n"),
    { path: "file:///src/lib/a.js", line: 3, column: 9, name: "parse" },
  );
  const python = `Traceback (most recent call last):
  File "/src/server.py", line 90, in answer
    return call(x)
  File "/src/lib.py", line 7, in call
    return 1 / 0
ZeroDivisionError: division by zero
`;
  t.strictSame(readTraces(python).map(({ path, line }) => `${path}:${line}`), [
    "/src/lib.py:7",
    "/src/server.py:90",
  ]);
  t.match(first("thread 'main' panicked at src/main.rs:4:5:\nboom"), {
    path: "src/main.rs",
    line: 4,
    column: 5,
  });
  const go = `panic: boom

goroutine 1 [running]:
panic({0x1, 0x2})
\t/usr/local/go/src/runtime/panic.go:770 +0x132
main.handle(0x0)
\t/src/main.go:12 +0x1d
`;
  t.match(first(go), { path: "/src/main.go", line: 12, name: "main.handle" });
  t.end();
});

t.test("of chained Python tracebacks the one seen last blames first", (t) => {
  const text = `Traceback (most recent call last):
  File "/src/a.py", line 1, in f
KeyError: 'x'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/src/b.py", line 2, in g
RuntimeError: no x
`;
  t.strictSame(readTraces(text).map(({ path }) => path), ["/src/b.py", "/src/a.py"]);
  t.end();
});

t.test("compilers and linters name their places", (t) => {
  const said: [string, object][] = [
    ["src/x.ts(12,3): error TS2322: Type 'string' …", { path: "src/x.ts", line: 12, column: 3 }],
    ["src/x.ts:12:3 - error TS2322: Type …", { path: "src/x.ts", line: 12, column: 3 }],
    ["lib/y.c:7:10: fatal error: zlib.h: No such file or directory", {
      path: "lib/y.c",
      line: 7,
      column: 10,
    }],
    ["error[E0308]: mismatched types\n --> src/main.rs:3:18\n", { path: "src/main.rs", line: 3, column: 18 }],
    ["./main.go:9:2: undefined: foo", { path: "./main.go", line: 9, column: 2 }],
    ["/p/src/x.js\n  4:7  error  'a' is not defined  no-undef", { path: "/p/src/x.js", line: 4, column: 7 }],
    ["file:///p/server.mjs:3\nconst a = ;\n          ^\n\nSyntaxError: Unexpected token ';'", { line: 3 }],
    ['  File "/p/server.py", line 4\n    A = \n        ^\nSyntaxError: invalid syntax', {
      path: "/p/server.py",
      line: 4,
    }],
  ];
  for (const [text, place] of said) t.match(first(text), place, text);
  t.end();
});

t.test("text without places has none", (t) => {
  t.strictSame(readTraces("it took 12:30 minutes at port localhost:8080"), []);
  t.end();
});
