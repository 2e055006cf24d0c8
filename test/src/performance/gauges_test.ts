/** What the kernel's files tell of a server. */
import t from "tap";
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import {
  cpuStatMs,
  groupsOf,
  hostGauge,
  insideGauge,
  ioBytes,
  usageOfProcesses,
} from "../../../src/performance/gauge.ts";

t.test("processes are added up; what is unknown is absent, not 0", (t) => {
  const one = {
    schedstats: ["1500000 3 4", "500000 1 1"],
    status: "VmHWM:\t 300 kB\nVmRSS:\t 200 kB\n",
    io: "read_bytes: 5\nwrite_bytes: 7\n",
  };
  t.same(usageOfProcesses([one, one]), {
    cpuMs: 4,
    memoryBytes: 400 * 1024,
    peakBytes: 600 * 1024,
    readBytes: 10,
    writtenBytes: 14,
  });
  t.same(usageOfProcesses([{ schedstats: [], status: "", io: "" }]), {});
  t.end();
});

t.test("control groups of both versions", (t) => {
  const { one, two } = groupsOf("4:memory:/a\n3:cpu,cpuacct:/docker/x\n0::/\n");
  t.same([one.get("cpuacct"), one.get("memory"), two], ["/docker/x", "/a", "/"]);
  t.equal(cpuStatMs("usage_usec 2500\nuser_usec 1\n"), 2.5);
  t.equal(cpuStatMs(undefined), undefined);
  t.same(ioBytes("8:0 rbytes=10 wbytes=20 rios=1\n8:16 rbytes=1 wbytes=2\n"), { read: 11, written: 22 });
  t.same(ioBytes("8:0 Read 10\n8:0 Write 20\n8:0 Sync 5\nTotal 30\n"), { read: 10, written: 20 });
  t.equal(ioBytes(undefined), undefined);
  t.end();
});

const script = `
const kept = Buffer.alloc(40 * 1024 * 1024, 1);
const before = process.cpuUsage();
for (let used = 0; used < 60000;) { const { user, system } = process.cpuUsage(before); used = user + system; }
console.log("ready" + kept.length);
setInterval(() => {}, 1000);`;

t.test("a living process is found by its mark, from outside and from inside", {
  skip: process.platform !== "linux" && "needs /proc",
}, async (t) => {
  const mark = `gauge-test/${process.pid}`;
  const child = spawn("node", ["-e", script], { env: { ...process.env, PTH_INSTANCE: mark } });
  t.teardown(() => child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const gauge = await hostGauge(mark);
  t.match(gauge!.source, /\/proc of/);
  const usage = await gauge!.read();
  t.ok(usage.memoryBytes! > 40 * 1024 * 1024, `${usage.memoryBytes}`);
  t.ok(usage.peakBytes! >= usage.memoryBytes!);
  t.ok(usage.cpuMs! >= 60 && usage.cpuMs! < 20_000, `${usage.cpuMs} ms`);
  await gauge!.restart();
  const inside = insideGauge(mark, async (text, stdin) => {
    const shell = spawn("sh", ["-c", text], { stdio: ["pipe", "pipe", "ignore"] });
    let output = "";
    shell.stdout.on("data", (data) => output += data);
    shell.stdin.end(stdin);
    await once(shell, "close");
    return output;
  });
  const seen = await inside.read();
  t.ok(seen.memoryBytes! > 40 * 1024 * 1024, `${seen.memoryBytes}`);
  t.ok(seen.cpuMs! >= 60);
});

t.test("no process with the mark is no gauge", async (t) => {
  t.equal(await hostGauge("gauge-test/nobody"), undefined);
});
