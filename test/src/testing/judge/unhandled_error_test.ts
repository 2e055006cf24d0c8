import t from "tap";
import { findingOfUnhandled, unhandledError } from "../../../../src/testing/judge/unhandled_error.ts";

const unhandled: [what: string, stderr: string, told: RegExp][] = [
  [
    "a rejection that Node's handler of last resort logged",
    "Unhandled rejection: TypeError: x is not iterable\n    at save (/srv/save.js:3:1)\n",
    /^Unhandled rejection: TypeError: x is not iterable/,
  ],
  [
    "Node's own warning",
    "(node:12) UnhandledPromiseRejectionWarning: Error: disk\n    at a (/x.js:1:1)\n",
    /UnhandledPromiseRejectionWarning: Error: disk/,
  ],
  [
    "a task of asyncio",
    "Task exception was never retrieved\nfuture: <Task finished>\nTraceback (most recent call last):\n" +
    '  File "/srv/a.py", line 3, in work\nValueError: no such row\n',
    /^Task exception was never retrieved · ValueError: no such row$/,
  ],
  [
    "a thread of Python",
    "Exception in thread Thread-1 (work):\nTraceback …\nKeyError: 'a'\n",
    /KeyError: 'a'/,
  ],
  ["a coroutine", "/srv/a.py:3: RuntimeWarning: coroutine 'save' was never awaited\n", /never awaited/],
  [
    "a panic in a thread",
    "thread 'worker' (12) panicked at src/main.rs:3:5:\nindex out of bounds\nnote: run with …\n",
    /panicked at src\/main.rs:3:5: · index out of bounds/,
  ],
  [
    "a panic that was recovered",
    "2026/11/24 log\npanic: nil map\n\ngoroutine 7 [running]:\nmain.x()\n",
    /nil map/,
  ],
];

for (const [what, stderr, told] of unhandled) {
  t.test(`${what} is found in stderr`, (t) => {
    t.match(unhandledError(stderr), told);
    t.end();
  });
}

const harmless: [what: string, stderr: string, input?: Record<string, unknown>][] = [
  ["nothing", ""],
  ["a log", "[info] server started\nWarning: slow disk\n"],
  [
    "a handler that is being installed",
    "Unhandled rejection handler installed\nuncaughtException listeners: 1\n",
  ],
  ["an error that was handled", "Error: no such file\n    at open (/srv/x.js:1:2)\n"],
  ["words within a line", "[info] 3 tests: Unhandled rejection, Uncaught exception\n"],
  ["the caller's own text", "Unhandled rejection: boom\n", { text: "say\nUnhandled rejection: boom" }],
];

for (const [what, stderr, input] of harmless) {
  t.test(`${what} is no unhandled error`, (t) => {
    t.equal(unhandledError(stderr, input), undefined);
    t.end();
  });
}

t.test("the finding says when it came", (t) => {
  t.match(findingOfUnhandled("boom", "save", "call"), {
    tool: "save",
    message: /save, while it was called, .*boom/,
  });
  t.match(findingOfUnhandled("boom", "save", "after").message, /save, after its answer/);
  t.match(findingOfUnhandled("boom", undefined, "end").message, /^the server, while it ended, /);
  t.notOk("tool" in findingOfUnhandled("boom", undefined, "start"));
  t.end();
});
