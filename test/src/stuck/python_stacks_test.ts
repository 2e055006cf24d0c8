import t from "tap";
import { readPythonStacks } from "../../../src/stuck/stacks/python_stacks.ts";

t.test("stacks that faulthandler writes are read thread by thread, innermost first", (t) => {
  const text = `Thread 0x00007f3988fff6c0 (most recent call first):
  File "/project/test_dead.py", line 7 in f
  File "/usr/lib/python3.11/threading.py", line 982 in run

Thread 0x00007f39897ff6c0 [W2] (most recent call first):
  File "/project/test_dead.py", line 7 in f

Current thread 0x00007f398a4ff740 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 1119 in join
  File "/project/a (b).py", line 9 in test_dead
  File "<string>", line 1 in <module>
no frame
`;
  t.same(readPythonStacks(text, 7), [
    {
      pid: 7,
      name: "thread 0x00007f3988fff6c0",
      frames: [
        { function: "f", file: "/project/test_dead.py", line: 7 },
        { function: "run", file: "/usr/lib/python3.11/threading.py", line: 982 },
      ],
    },
    { pid: 7, name: "W2", frames: [{ function: "f", file: "/project/test_dead.py", line: 7 }] },
    {
      pid: 7,
      name: "main thread",
      frames: [
        { function: "join", file: "/usr/lib/python3.11/threading.py", line: 1119 },
        { function: "test_dead", file: "/project/a (b).py", line: 9 },
        { function: "<module>", file: "<string>", line: 1 },
      ],
    },
  ]);
  t.same(readPythonStacks("", 7), []);
  t.end();
});
