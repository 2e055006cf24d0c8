import t from "tap";
import type { SamplerAccess } from "../../../src/stuck/sampler_access.ts";
import { javaStacks, mayOthersGoOn } from "../../../src/stuck/stacks/java_stacks.ts";
import type { StackTarget } from "../../../src/stuck/stacks/stack_way.ts";

const { signal } = new AbortController();
const target = { process: { pid: 7 } } as StackTarget;
/** Stacks that are read of what jstack prints. */
const stacksOf = (stdout: string) => {
  const access = { exec: () => Promise.resolve({ code: 0, stdout, stderr: "" }) };
  return javaStacks.capture(
    access as unknown as Parameters<typeof javaStacks.capture>[0],
    target,
    signal,
  );
};

const dump = `
"main" #1 prio=5 os_prio=0 cpu=467.46ms elapsed=604.52s tid=0x00007f36f4018060 nid=0x18f7 waiting for monitor entry
   java.lang.Thread.State: BLOCKED (on object monitor)
	at demo.Bank.move(Bank.java:12)
	- waiting to lock <0x000000069ee32b68> (a demo.Bank$Account)
	- locked <0x000000069ee32b58> (a demo.Bank$Account)
	at demo.BankTest.movesBothWays(BankTest.java:13)
	at java.lang.reflect.Method.invoke(java.base@17.0.15/Method.java:569)
	at org.junit.platform.commons.util.ReflectionUtils.invokeMethod(ReflectionUtils.java:767)

"back" #15 prio=5 os_prio=0 cpu=1ms elapsed=603s tid=0x00007f36f441ab70 nid=0x1d4b waiting for monitor entry
	at demo.Bank.move(Bank.java:12)
	- waiting to lock <0x000000069ee32b58> (a demo.Bank$Account)
	- locked <0x000000069ee32b68> (a demo.Bank$Account)
`;

t.test("frames of the JDK and of what runs tests have no file, as those of the project do", async (t) => {
  const { threads, refuted } = await stacksOf(dump);
  t.same(threads[0], {
    pid: 7,
    tid: 0x18f7,
    name: "main",
    frames: [
      { function: "demo.Bank.move", file: "Bank.java", line: 12 },
      { function: "demo.BankTest.movesBothWays", file: "BankTest.java", line: 13 },
      { function: "java.lang.reflect.Method.invoke" },
      { function: "org.junit.platform.commons.util.ReflectionUtils.invokeMethod" },
    ],
    holds: [{ lock: "0x000000069ee32b58", at: "Bank.java:12", certain: true }],
    waitsFor: { lock: "0x000000069ee32b68" },
  });
  t.equal(refuted, true);
});

t.test("the VM's own report of a deadlock is the cycle", async (t) => {
  const report = `${dump}
Found one Java-level deadlock:
=============================
"main":
  waiting to lock monitor 0x00007f (object 0x000000069ee32b68, a demo.Bank$Account),
  which is held by "back"

"back":
  waiting to lock monitor 0x00007e (object 0x000000069ee32b58, a demo.Bank$Account),
  which is held by "main"
`;
  const { threads, cycle, refuted } = await stacksOf(report);
  t.same(threads.map(({ name }) => name), ["main", "back"]);
  t.same(cycle, ["main", "back"]);
  t.equal(refuted, undefined);
});

const thread = (name: string, nid: number, state: string, ...frames: string[]) =>
  `"${name}" #1 prio=5 os_prio=0 cpu=1.2ms elapsed=3s tid=0x7f nid=0x${nid.toString(16)} x  [0x00]\n` +
  `   java.lang.Thread.State: ${state}\n${frames.map((frame) => `\tat ${frame}\n`).join("")}\n`;
const busy = thread("main", 21, "RUNNABLE", "Dead.main(Dead.java:34)");
const own = [
  thread(
    "Reference Handler",
    30,
    "RUNNABLE",
    "java.lang.ref.Reference.waitForReferencePendingList(java.base@17/Native Method)",
  ),
  thread("Finalizer", 31, "WAITING (on object monitor)", "java.lang.Object.wait(java.base@17/Native Method)"),
  thread(
    "Common-Cleaner",
    32,
    "TIMED_WAITING (on object monitor)",
    "java.lang.Object.wait(java.base@17/Native Method)",
    "jdk.internal.ref.CleanerImpl.run(java.base@17/CleanerImpl.java:140)",
  ),
  thread("C2 CompilerThread0", 33, "RUNNABLE"),
].join("");
const others = (...threads: string[]) =>
  mayOthersGoOn(
    {
      exec: () => Promise.resolve({ code: 0, stdout: `Full thread dump\n\n${threads.join("")}`, stderr: "" }),
    } as unknown as SamplerAccess,
    { pid: 20, tid: 21 },
    signal,
  );

t.test("beside threads of the VM and those that wait without end nothing goes on", async (t) => {
  t.equal(
    await others(own, busy, thread("worker", 40, "WAITING (parking)", "Worker.run(Worker.java:1)")),
    false,
  );
});

t.test("a thread that sleeps or runs may end a loop, whatever its name is", async (t) => {
  for (const state of ["TIMED_WAITING (sleeping)", "RUNNABLE"]) {
    t.equal(
      await others(own, busy, thread("Finalizer", 41, state, "java.lang.Thread.sleep(Native Method)")),
      true,
      state,
    );
  }
});

t.test("no answer is no proof", async (t) => {
  await t.rejects(others(), { code: "UNSUPPORTED" });
});
