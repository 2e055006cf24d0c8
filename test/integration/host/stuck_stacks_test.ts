// test: group=stuck
import { spawn } from "node:child_process";
import { chmod, copyFile, symlink, writeFile } from "node:fs/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { CapturedStacks } from "../../../machines/model/stuck.ts";
import { mkdir } from "../../../src/platform/files.ts";
import { runCommand, signalProcess } from "../../../src/platform/process.ts";
import { judgeSample } from "../../../src/stuck/judge_sample.ts";
import { startSampler } from "../../../src/stuck/sampler.ts";
import type { SamplerAccess } from "../../../src/stuck/sampler_access.ts";
import { captureStacks } from "../../../src/stuck/stacks/capture_stacks.ts";
import { hostAccess } from "../../support/host_access.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

const source = fileURLToPath(new URL("./programs/stuck/dead.cpp", import.meta.url));
const { signal } = new AbortController();

const without = async (...programs: string[]): Promise<string | false> => {
  for (const program of programs) {
    const { code } = await runCommand(["sh", "-c", 'command -v "$1"', "sh", program]);
    if (code !== 0) return `without ${program}`;
  }
  return false;
};
const withoutCompiler = await without("g++", "gdb");
const withoutRoot = process.getuid?.() === 0 ? await without("setpriv") : "not as root";

/** The way to processes behind a command that changes what it may do. */
const behind = (...words: string[]): SamplerAccess => ({
  spawn: (argv, options) => hostAccess.spawn([...words, ...argv], options),
  exec: (argv, options) => hostAccess.exec([...words, ...argv], options),
});

let program: string;
t.before(async () => {
  if (withoutCompiler !== false) return;
  program = join(await temporaryFolder(t), "dead");
  await runCommand(["g++", "-g", "-O1", "-pthread", "-o", program, source]);
});

async function start(t: Test, words: string[]): Promise<number> {
  const child = spawn(words[0]!, words.slice(1), { stdio: ["pipe", "ignore", "ignore"], detached: true });
  t.teardown(() => void signalProcess(-child.pid!, "SIGKILL"));
  await new Promise((resolve) => setTimeout(resolve, 400));
  return child.pid!;
}

/** Threads by their names and numbers, with the functions of their stacks. */
const functionsOf = ({ threads }: CapturedStacks): Record<string, string[]> =>
  Object.fromEntries(threads.map(({ tid, frames }) => [tid!, frames.map((frame) => frame.function)]));

t.test("without gdb eu-stack gives the same threads and functions", {
  skip: withoutCompiler || await without("eu-stack"),
}, async (t) => {
  const pid = await start(t, [program, "deadlock"]);
  const path = join(await temporaryFolder(t), "bin");
  await mkdir(path);
  for (const each of ["sh", "eu-stack", "node"]) {
    const { stdout } = await runCommand(["sh", "-c", 'readlink -f "$(command -v "$1")"', "sh", each]);
    await symlink(stdout.trim(), join(path, each));
  }
  const [gdb, eu] = [
    await captureStacks(hostAccess, pid, { mayEnd: true, signal }),
    await captureStacks(behind("env", `PATH=${path}`), pid, { mayEnd: true, signal }),
  ];
  t.equal(gdb.method, "gdb");
  t.equal(eu.method, "eu-stack");
  t.match(eu.notes, [/there is no gdb/]);
  const [ofGdb, ofEu] = [functionsOf(gdb), functionsOf(eu)];
  t.strictSame(Object.keys(ofEu).sort(), Object.keys(ofGdb).sort());
  t.equal(Object.keys(ofEu).length, 3);
  const own = (names: readonly string[]) =>
    names.map((name) => name.replace(/\(.*$/, "")).filter((name) => /^(?:store|load|main)$/.test(name));
  for (const [tid, names] of Object.entries(ofGdb)) t.strictSame(own(ofEu[tid]!), own(names), tid);
  t.ok(eu.threads.every(({ frames }) => frames.some(({ line }) => line !== undefined)));
});

t.test("where tracing is refused, the reason is told, and what is known without", {
  skip: withoutCompiler || withoutRoot,
}, async (t) => {
  const cases = {
    "without the capability": [["--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace"], /capabilities/],
    "as another user": [["--reuid=65534", "--clear-groups"], /runs as user 0, and PTH there as user 65534/],
  } as const;
  const pid = await start(t, [program, "deadlock"]);
  for (const [name, [words, reason]] of Object.entries(cases)) {
    const access = behind("setpriv", ...words);
    const sampler = await startSampler(access, pid);
    await sampler.sample();
    const sample = await sampler.sample();
    await sampler.close();
    t.equal(sample.unreadable, true, name);
    const judgement = judgeSample(sample, { budgetMs: 30_000 });
    t.notOk("certain" in judgement && judgement.certain, name);
    const { method, notes, threads } = await captureStacks(access, pid, { sample, mayEnd: true, signal });
    t.equal(method, "/proc", name);
    t.match(notes, [/gdb may not trace it: /, /system calls of its threads may not be read/], name);
    t.match(notes[0], reason);
    t.equal(threads.length, 3, name);
  }
});

t.test(
  "frames of a stripped program tell their file, and what would name them",
  { skip: withoutCompiler },
  async (t) => {
    const stripped = `${program}-stripped`;
    await copyFile(program, stripped);
    await runCommand(["strip", stripped]);
    const pid = await start(t, [stripped, "deadlock"]);
    const accesses = { gdb: hostAccess, "eu-stack": withoutGdb(hostAccess) };
    for (const [method, access] of Object.entries(accesses)) {
      const found = await captureStacks(access, pid, { mayEnd: true, signal });
      t.equal(found.method, method);
      t.match(
        found.notes.at(-1),
        /\d+ of \d+ frames have no names: its symbols were stripped; build it with debug/,
      );
      const frames = found.threads.flatMap((thread) => thread.frames.map((frame) => frame.function));
      t.ok(frames.some((frame) => /^0x[0-9a-f]+ in dead-stripped$/.test(frame)), frames.join("\n"));
    }
  },
);

/** A way on which gdb is not there. */
const withoutGdb = (access: SamplerAccess): SamplerAccess => ({
  ...access,
  exec: (argv, options) =>
    argv.includes("gdb")
      ? Promise.resolve({ code: 127, signal: null, stdout: "", stderr: "", durationMs: 0 } as never)
      : access.exec(argv, options),
});

t.test(
  "a process that ends between its sample and its stacks is told to be gone",
  { skip: withoutCompiler },
  async (t) => {
    const pid = await start(t, [program, "deadlock"]);
    const sampler = await startSampler(hostAccess, pid);
    const sample = await sampler.sample();
    await sampler.close();
    signalProcess(-pid, "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { notes } = await captureStacks(hostAccess, pid, { sample, mayEnd: true, signal });
    t.match(notes, [`process ${pid}: the process is gone`]);
    const none = await captureStacks(hostAccess, pid, { mayEnd: true, signal });
    t.match(none, { threads: [], method: "none" });
  },
);

t.test("a wait that a stop has interrupted goes on as what it was", async (t) => {
  const pid = await start(t, ["sleep", "100"]);
  const sampler = await startSampler(hostAccess, pid);
  t.teardown(() => sampler.close());
  await sampler.sample();
  const stopped = await sampler.sample();
  t.match(stopped.threads, [{ frozen: true, wait: { kind: "timer" } }]);
  for (const name of ["SIGSTOP", "SIGCONT"] as const) {
    signalProcess(-pid, name);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { threads: [after] } = await sampler.sample();
  t.match(after, { frozen: false, wait: { kind: "timer" } });
  t.ok(after!.leftMs! <= stopped.threads[0]!.leftMs!, "it is not begun anew");
});

/** A program for 32-bit x86 that waits for a signal, again and again: its header, and `eax = 29; int 0x80; jmp back`. */
function foreignProgram(): Uint8Array {
  const code = [0xb8, 29, 0, 0, 0, 0xcd, 0x80, 0xeb, 0xf7];
  const bytes = Buffer.alloc(84 + code.length);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 1, 1, 1]);
  [[16, 2], [18, 3], [40, 52], [42, 32], [44, 1]].forEach(([at, value]) => bytes.writeUInt16LE(value!, at));
  [[20, 1], [24, 0x08048054], [28, 52], [56, 0], [60, 0x08048000], [64, 0x08048000], [68, bytes.length]]
    .concat([[52, 1], [72, bytes.length], [76, 5], [80, 0x1000]])
    .forEach(([at, value]) => bytes.writeUInt32LE(value!, at));
  bytes.set(code, 84);
  return bytes;
}

t.test("a program for another processor is never certain to be stuck, and what is not known of it is said", {
  skip: process.arch === "x64" ? false : "on x86-64",
}, async (t) => {
  const path = join(await temporaryFolder(t), "foreign");
  await writeFile(path, foreignProgram());
  await chmod(path, 0o755);
  const { code } = await runCommand(["timeout", "-s", "KILL", "0.2", path]);
  if (code === 126) return t.comment("this machine runs no 32-bit programs");
  const pid = await start(t, [path]);
  const sampler = await startSampler(hostAccess, pid);
  await sampler.sample();
  const sample = await sampler.sample();
  await sampler.close();
  t.match(sample.threads, [{
    frozen: true,
    wait: { kind: "other", call: /system call 29 of another processor/ },
  }]);
  t.match(judgeSample(sample, { budgetMs: 30_000 }), {
    kind: "waiting",
    for: "other",
    detail: /waits in system call 29 of another processor's numbers/,
  });
});
