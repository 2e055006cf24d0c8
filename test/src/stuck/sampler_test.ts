import t, { type Test } from "tap";
import { spawn } from "node:child_process";
import type { StuckJudgement } from "../../../machines/model/stuck.ts";
import { runCommand, signalProcess } from "../../../src/platform/process.ts";
import { judgeSample } from "../../../src/stuck/judge_sample.ts";
import { startSampler } from "../../../src/stuck/sampler.ts";
import { hostAccess } from "../../support/host_access.ts";

const { code } = await runCommand(["sh", "-c", "command -v python3 && command -v setsid"]);
const skip = code === 0 ? false : "without python3 or setsid";

/** Judges a program of Python that has come to where it waits. */
async function judge(t: Test, program: string, env: Record<string, string> = {}): Promise<StuckJudgement> {
  const child = spawn("python3", ["-c", `import os, threading\n${program}`], {
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
    env: { ...process.env, ...env },
  });
  t.teardown(() => void signalProcess(-child.pid!, "SIGKILL"));
  const said = await new Promise<string>((resolve) =>
    child.stdout!.once("data", (data) => resolve(`${data}`))
  );
  const stray = Number(said);
  if (stray > 0) t.teardown(() => void signalProcess(stray, "SIGKILL"));
  const sampler = await startSampler(hostAccess, child.pid!);
  t.teardown(() => sampler.close());
  for (;;) {
    const judgement = judgeSample(await sampler.sample(), { budgetMs: 600_000 });
    if (judgement.kind !== "working") return judgement;
  }
}

const twice = "print(0, flush=True)\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()";
const strayAndLock =
  'p = os.popen("setsid sleep 500 >/dev/null 2>&1 & echo $!")\nstray = p.read()\np.close()\n' +
  twice.replace("print(0", "print(int(stray)");

t.test("a lock that nothing of the tree releases is a deadlock", { skip }, async (t) => {
  t.match(await judge(t, twice), { kind: "deadlock", certain: true });
});

t.test("a process of the run that has left the tree may end a wait", { skip }, async (t) => {
  t.match(await judge(t, strayAndLock, { PTH_TESTS_one: "1" }), { kind: "waiting", for: "timer" });
});

t.test("a process of another run may not", { skip }, async (t) => {
  const judgement = await judge(
    t,
    strayAndLock.replace("setsid", "PTH_TESTS_two=2 setsid env -u PTH_TESTS_one"),
    {
      PTH_TESTS_one: "1",
    },
  );
  t.match(judgement, { kind: "deadlock", certain: true });
});

const ring = `import ctypes, mmap, struct
parameters = ctypes.create_string_buffer(120)
ring = ctypes.CDLL(None).syscall(425, 4, parameters)
`;
/** Has the ring read from a pipe to which nothing is written. */
const readByRing = `source, _ = os.pipe()
_, tail, _, _, _, _, array = struct.unpack_from("7I", parameters, 40)
queue = mmap.mmap(ring, 4096)
entries = mmap.mmap(ring, 4096, offset=0x10000000)
target = ctypes.create_string_buffer(8)
struct.pack_into("=BBHiQQI", entries, 0, 22, 0, 0, source, 2**64 - 1, ctypes.addressof(target), 8)
struct.pack_into("I", queue, array, 0)
struct.pack_into("I", queue, tail, 1)
assert ctypes.CDLL(None).syscall(426, ring, 1, 0, 0, None, 0) == 1
`;
const hasRings = skip === false && (await runCommand(["python3", "-c", `${ring}exit(ring < 0)`])).code === 0;

t.test("the kernel may write to an event descriptor for a ring of io_uring that is at work", {
  skip: hasRings ? false : "without io_uring",
}, async (t) => {
  const read = "print(0, flush=True)\nos.read(event, 8)";
  const event = "import ctypes\nevent = ctypes.CDLL(None).eventfd(0, 0)\n";
  t.match(await judge(t, `${event}${read}`), { kind: "deadlock", certain: true });
  t.match(await judge(t, `${event}${ring}${read}`), { kind: "deadlock", certain: true }, "an idle one");
  t.match(await judge(t, `${event}${ring}${readByRing}${read}`), { kind: "waiting", for: "input" });
});
