import t from "tap";
import type { StackTarget } from "../../../src/stuck/stacks/stack_way.ts";
import type { SamplerAccess } from "../../../src/stuck/sampler_access.ts";
import { goStacks, readGoStacks } from "../../../src/stuck/stacks/go_stacks.ts";

const dump = `SIGQUIT: quit
PC=0x45bd41 m=0 sigcode=0

goroutine 0 [idle]:
runtime.futex()
	/usr/lib/go-1.19/src/runtime/sys_linux_amd64.s:559 +0x21 fp=0x7ffd25873d90 sp=0x7ffd25873d88 pc=0x45bd41

goroutine 2 [force gc (idle)]:
runtime.gopark(0x0?, 0x0?, 0x0?, 0x0?, 0x0?)
	/usr/lib/go-1.19/src/runtime/proc.go:363 +0xd6 fp=0xc00003afb0 sp=0xc00003af90 pc=0x432416

goroutine 18 [semacquire, 2 minutes]:
runtime.gopark(0x40b23f?, 0x0?, 0x60?, 0xa0?, 0x0?)
	/usr/lib/go-1.19/src/runtime/proc.go:363 +0xd6 fp=0xc0000366b8 sp=0xc000036698 pc=0x432416
sync.(*Mutex).lockSlow(0x5094c8)
	/usr/lib/go-1.19/src/sync/mutex.go:171 +0x165 fp=0xc0000367a0 sp=0xc000036750 pc=0x45d785
sync.(*Mutex).Lock(...)
	/usr/lib/go-1.19/src/sync/mutex.go:90
main.main.func2()
	/project/dead.go:34 +0x26 fp=0xc0000367e0 sp=0xc0000367c8 pc=0x461426
runtime.goexit()
	/usr/lib/go-1.19/src/runtime/asm_amd64.s:1594 +0x1 fp=0xc0000367e8 sp=0xc0000367e0 pc=0x459ec1
created by main.main in goroutine 1
	/project/dead.go:34 +0xc5

goroutine 1 gp=0xc0000061c0 m=0 mp=0x5a [running]:
runtime.systemstack_switch()
	/usr/lib/go/asm.s:1

rip    0x45bd41
`;

t.test("goroutines of programs are read with their reasons, and the mutex that one waits for", (t) => {
  t.same(readGoStacks(dump, 7), [
    {
      pid: 7,
      name: "goroutine 18 [semacquire, 2 minutes]",
      frames: [
        { function: "sync.(*Mutex).lockSlow", file: "/usr/lib/go-1.19/src/sync/mutex.go", line: 171 },
        { function: "sync.(*Mutex).Lock", file: "/usr/lib/go-1.19/src/sync/mutex.go", line: 90 },
        { function: "main.main.func2", file: "/project/dead.go", line: 34 },
        { function: "created by main.main in goroutine 1", file: "/project/dead.go", line: 34 },
      ],
      waitsFor: { lock: "0x5094c8" },
    },
    {
      pid: 7,
      name: "goroutine 1 [running]",
      frames: [{ function: "runtime.systemstack_switch", file: "/usr/lib/go/asm.s", line: 1 }],
    },
  ]);
  t.end();
});

/** A process that prints so much once it gets the signal. */
function target(text: string, before = "") {
  let said = before;
  let ends = 0;
  const access = {
    exec() {
      said += text;
      return Promise.resolve({ code: 0, stdout: "", stderr: "" });
    },
  } as unknown as SamplerAccess;
  const command = { printed: () => said, endsNow: () => void ends++ };
  const of = {
    process: { pid: 7, parent: 0, alarm: false, runtime: "go" },
    sample: { processes: [], threads: [], costMs: 1, spentMs: 1, aliveMs: 1 },
    mayEnd: true,
    command,
  } satisfies StackTarget;
  return { of, ends: () => ends, capture: () => goStacks.capture(access, of, new AbortController().signal) };
}

t.test("the dump is found in what was printed, also within events, and never an older one", async (t) => {
  const events = dump.split("\n").map((line) => JSON.stringify({ Action: "output", Output: `${line}\n` }))
    .join("\n");
  for (const text of [dump, `${events}\n`]) {
    const { capture, ends } = target(text, dump.replaceAll("main.main", "older.fake"));
    const { threads } = await capture();
    t.match(threads[0]!.frames[2], { function: "main.main.func2" });
    t.equal(ends(), 1, "its end is known to be none of its own");
  }
});

t.test("where nothing is printed on the signal, that is said", async (t) => {
  await t.rejects(target("").capture(), { code: "UNSUPPORTED", message: /printed no goroutines/ });
});

t.test("a process that is not to end gets no signal", (t) => {
  const { of } = target(dump);
  t.equal(goStacks.fits(of), true);
  t.equal(goStacks.fits({ ...of, mayEnd: false }), false);
  t.equal(goStacks.fits({ ...of, command: undefined }), false);
  t.end();
});
