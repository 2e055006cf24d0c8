import t from "tap";
import { javaStacks } from "../../../src/stuck/stacks/java_stacks.ts";
import type { StackTarget } from "../../../src/stuck/stacks/stack_way.ts";

const target = { process: { pid: 7 } } as StackTarget;
/** Stacks that are read of what jstack prints. */
const stacksOf = (stdout: string) => {
  const access = { exec: () => Promise.resolve({ code: 0, stdout, stderr: "" }) };
  return javaStacks.capture(
    access as unknown as Parameters<typeof javaStacks.capture>[0],
    target,
    new AbortController().signal,
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
