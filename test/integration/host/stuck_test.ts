// test: group=stuck
import t, { type Test } from "tap";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { runCommand, signalProcess } from "../../../src/platform/process.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { watchStuck } from "../../support/watch_stuck.ts";

const programs = fileURLToPath(new URL("./programs/stuck/", import.meta.url));

const isThere = async (program: string) =>
  (await runCommand(["sh", "-c", 'command -v "$1"', "sh", program])).code === 0;

interface Stuck {
  language: string;
  needs: string;
  /** Command that makes the program in a folder, and the program's words behind which its part is named. */
  make?: (folder: string) => string[];
  run: (folder: string) => string[];
  cycle?: RegExp;
  /** Functions that the stacks of the deadlock show, where they can. */
  functions?: RegExp[];
  /** Judgement of the deadlock where it is another. */
  kind?: "beyond_timeout";
  loop: "certain" | "suspected";
}

const languages: Stuck[] = [
  {
    language: "C++",
    needs: "g++",
    make: (folder) => ["g++", "-g", "-O1", "-pthread", "-o", join(folder, "cpp"), join(programs, "dead.cpp")],
    run: (folder) => [join(folder, "cpp")],
    cycle: /\(\d+\)/,
    functions: [/store/, /load/],
    loop: "certain",
  },
  {
    language: "Rust",
    needs: "rustc",
    make: (folder) => ["rustc", "--test", "-g", "-o", join(folder, "rust"), join(programs, "dead.rs")],
    run: (folder) => [join(folder, "rust"), "--exact"],
    functions: [/connect/, /migrate/],
    loop: "certain",
  },
  {
    language: "Go",
    needs: "go",
    make: (folder) => ["go", "build", "-o", join(folder, "go"), join(programs, "dead.go")],
    run: (folder) => [join(folder, "go")],
    kind: "beyond_timeout",
    functions: [/^main\.store$/, /^main\.load$/],
    loop: "suspected",
  },
  {
    language: "Python",
    needs: "python3",
    run: () => ["python3", join(programs, "dead.py")],
    loop: "certain",
  },
  {
    language: "Node",
    needs: "node",
    run: () => ["node", join(programs, "dead.mjs")],
    functions: [/^take$/],
    loop: "suspected",
  },
  {
    language: "Java",
    needs: "javac",
    make: (folder) => ["javac", "-d", folder, join(programs, "Dead.java")],
    run: (folder) => ["java", "-cp", folder, "Dead"],
    cycle: /store|load/,
    functions: [/Dead\.store/, /Dead\.load/],
    loop: "suspected",
  },
];

// They wait most of the time.
t.jobs = 2;

/** Starts a program that is ended with the test. */
function start(t: Test, words: string[]) {
  const child = spawn(words[0]!, words.slice(1), { stdio: ["pipe", "ignore", "pipe"], detached: true });
  const pid = child.pid!;
  t.teardown(() => void signalProcess(-pid, "SIGKILL"));
  let said = "";
  child.stderr!.on("data", (bytes) => said += bytes);
  return { pid, command: { printed: () => said, endsNow: () => {} } };
}

for (const { language, needs, make, run, cycle, functions = [], kind = "deadlock", loop } of languages) {
  const skip = await isThere(needs) ? false : `without ${needs}`;
  t.test(
    `${language}: a deadlock is certain, and computing without end is ${loop}`,
    { buffered: true, skip },
    async (t) => {
      const folder = await temporaryFolder(t);
      if (make !== undefined) {
        const made = await runCommand(make(folder));
        t.equal(made.code, 0, made.stderr);
      }
      const runner = language === "Rust" ? { runner: "libtest" as const } : {};
      const [dead, endless] = ["deadlock", "endless"].map((part) => {
        const { pid, command } = start(t, [...run(folder), part]);
        const watched = watchStuck(pid, { ...runner, command });
        t.teardown(() => watched.stop());
        return watched;
      });
      const found = await dead!.first("stuck.certain", 20_000);
      t.match(found, { judgement: { kind, certain: true } });
      if (found?.type === "stuck.certain") {
        const { threads, cycle: names = [] } = found.stacks;
        if (cycle !== undefined) {
          t.ok(names.length >= 2 && names.every((name) => cycle.test(name)), names.join());
        }
        const frames = threads.flatMap((thread) => thread.frames.map((frame) => frame.function));
        const gdb = ["Go", "Node"].includes(language) ||
          await isThere(language === "Java" ? "jstack" : "gdb");
        if (gdb) {
          for (const each of functions) {
            t.ok(frames.some((frame) => each.test(frame)), String(each));
          }
        }
      }
      const certain = loop === "certain" && await isThere("gdb");
      const type = certain ? "stuck.certain" : "stuck.suspected";
      t.match(await endless!.first(type, 20_000), { judgement: { kind: "infinite_loop" } });
    },
  );
}

/** Programs that are slow, and not stuck. */
const python = (code: string) => ["python3", "-c", code];
const node = (code: string) => ["node", "--input-type=module", "-e", code];
const slow: Record<string, string[]> = {
  "sleeps": ["sleep", "30"],
  "polls": ["sh", "-c", "while :; do sleep 0.05; done"],
  "hashes": python("import hashlib\nwhile True: hashlib.sha256(bytes(1 << 20)).digest()"),
  "computes": python("x = 1\nwhile True: x = (x * 3 + 1) % 1000003"),
  "waits for a child": ["sh", "-c", "sleep 30; true"],
  "waits for children of a child": ["sh", "-c", "sh -c 'sleep 30; true'; true"],
  "reads its stdin": ["cat"],
  "reads a pipe from a living process": ["sh", "-c", "(sleep 30; echo) | cat"],
  "writes to a slow reader": ["sh", "-c", "yes | (sleep 30; cat)"],
  "serves a socket": node("(await import('node:net')).createServer(() => {}).listen(0)"),
  "accepts a connection": python("import socket\ns = socket.create_server(('127.0.0.1', 0))\ns.accept()"),
  "waits for a condition with a time limit": python(
    "import threading\nc = threading.Condition()\nwith c:\n while True: c.wait(0.2)",
  ),
  "waits for a lock that a sleeper holds": python(
    "import threading, time\nl = threading.Lock()\ndef f():\n with l: time.sleep(30)\n" +
      "threading.Thread(target=f).start()\ntime.sleep(0.1)\nl.acquire()",
  ),
  "joins a thread that computes": python(
    "import threading\ndef f():\n while True: pass\nt = threading.Thread(target=f)\nt.start()\nt.join()",
  ),
  "waits for an alarm": python(
    "import signal, threading\nsignal.signal(signal.SIGALRM, lambda *a: None)\nsignal.alarm(30)\n" +
      "threading.Lock().acquire()\nthreading.Event().wait()",
  ),
  "waits for a signal": python("import signal\nsignal.pause()"),
  "collects garbage": node(
    "let k = []; for (;;) { k.push({ a: new Array(50) }); if (k.length > 1e5) k = []; }",
  ),
  "has timers": node("setInterval(() => {}, 40)"),
  "waits for a worker's timer": node(
    "const { Worker } = await import('node:worker_threads'); const c = new Int32Array(new SharedArrayBuffer(4));" +
      "new Worker('setTimeout(() => {}, 30000)', { eval: true });" +
      "await new Promise((r) => setTimeout(r, 300)); Atomics.wait(c, 0, 0)",
  ),
  "spins until a time": python(
    "import time\nend = time.monotonic() + 30\nwhile time.monotonic() < end: pass",
  ),
};

const withBoth = await isThere("python3") && await isThere("node");

t.test("twenty slow programs are never certain to be stuck", {
  skip: withBoth ? false : "without python3 and node",
}, async (t) => {
  const names = Object.keys(slow);
  t.equal(names.length, 20);
  const watched = names.map((name) => watchStuck(start(t, slow[name]!).pid));
  t.teardown(() => Promise.all(watched.map((each) => each.stop())));
  await new Promise((resolve) => setTimeout(resolve, 6000));
  for (const [at, { facts }] of watched.entries()) {
    const wrong = facts.filter(({ type }) => type === "stuck.certain" || type === "stuck.not_watched");
    t.same(wrong.map((fact) => "judgement" in fact ? fact.judgement : fact), [], names[at]!);
  }
});

t.test("a process that is gone is nothing that is stuck", async (t) => {
  const watched = watchStuck(start(t, ["true"]).pid);
  t.teardown(() => watched.stop());
  await new Promise((resolve) => setTimeout(resolve, 1500));
  t.same(watched.facts, []);
});
