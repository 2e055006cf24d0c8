import { execFile } from "node:child_process";
import process from "node:process";
import t from "tap";
import { lastErrorLine } from "../../../../src/visualizer/timeline/event_text.ts";

const rust = `thread 'main' panicked at src/main.rs:2:5:
the store is corrupt
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace
`;
const python = `Traceback (most recent call last):
  File "/srv/server.py", line 3, in <module>
    raise ValueError("no shelf 4")
ValueError: no shelf 4
`;
const go = `panic: assignment to entry in nil map

goroutine 1 [running]:
main.main()
	/srv/main.go:7 +0x1d
exit status 2
`;
const node = (error: string, below = ""): string =>
  `file:///srv/server.mjs:21
        shelf.remove(article);
              ^

${error}
    at Timeout.<anonymous> (file:///srv/server.mjs:21:15)
    at process.processTimers (node:internal/timers:541:7)${below}

Node.js v20.20.2
`;

const cases: [what: string, stderr: unknown, words: string | undefined][] = [
  ["a plain last line", "starting\nfatal: no store\n\n", "fatal: no store"],
  ["an error that nothing caught", node("TypeError: no shelf"), "TypeError: no shelf"],
  [
    "one with a code and a cause",
    node("Error: no shelf", " {\n  code: 'X',\n  [cause]: Error: none\n      at a:1:1\n}"),
    "Error: no shelf",
  ],
  ["one of several lines", node("Error: no shelf\nlook behind the door"), "Error: no shelf"],
  ["a stack whose beginning is lost", "    at a (b.mjs:1:2)\n\nNode.js v20.20.2\n", "at a (b.mjs:1:2)"],
  ["a panic in Rust", rust, "the store is corrupt"],
  ["an exception in Python", python, "ValueError: no shelf 4"],
  ["a panic in Go", go, "panic: assignment to entry in nil map"],
  ["silence", " \n", undefined],
  ["what is no text", { abridged: "x" }, undefined],
];
for (const [what, stderr, words] of cases) t.equal(lastErrorLine(stderr), words, what);

t.test("of a program that throws, what it threw", (t) => {
  execFile("node", ["-e", "throw new RangeError('no shelf 4')"], { env: process.env }, (_, __, stderr) => {
    t.equal(lastErrorLine(stderr), "RangeError: no shelf 4");
    t.end();
  });
});
