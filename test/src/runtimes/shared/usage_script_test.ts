import process from "node:process";
import t from "tap";
import { runCommand } from "../../../../src/platform/process.ts";
import { parseUsage, usageScript } from "../../../../src/runtimes/shared/usage_script.ts";

t.test("the script tells of this machine, and only of the processes asked for", async (t) => {
  const folder = t.testdir({ large: "x".repeat(3_000_000), small: { file: "y" } });
  const marked = ["sh", "-c", usageScript(), "sh", folder, `PTH_USAGE_TEST=${process.pid}`];
  const { stdout, code } = await runCommand(marked, { env: { PTH_USAGE_TEST: String(process.pid) } });
  t.equal(code, 0);
  const usage = parseUsage(stdout);
  t.match(usage.disks.find(({ mount }) => mount === "/"), {
    totalMB: Number,
    usedMB: Number,
    freeMB: Number,
  });
  t.match(usage.folders[0], { path: /large$/ });
  t.ok(usage.folders[0]!.usedMB > 2.5);
  t.ok(usage.memory.totalMB > usage.memory.usedMB);
  t.ok(usage.memory.usedMB > 0);
  t.ok(usage.cpu.cpus >= 1);
  t.equal(usage.cpu.load.length, 3);
  t.ok(usage.processCount >= 1, "the shell itself");
  t.ok(usage.processes.every(({ command }) => /sh|du|tr|cut|grep/.test(command)), "and nobody else's");
  const all = parseUsage((await runCommand(["sh", "-c", usageScript(), "sh", folder, ""])).stdout);
  t.ok(all.processCount > usage.processCount);
  t.ok(all.processes.length <= 15);
});

t.test("a limit of its own counts as the environment's memory; odd lines are left out", (t) => {
  const usage = parseUsage([
    "== disks",
    "overlay 1000 500 400 50% /",
    "not a disk",
    "== meminfo",
    "MemTotal:  8000000 kB",
    "MemAvailable:  6000000 kB",
    "== limit",
    String(512 * 1024 * 1024),
    "== usage",
    String(128 * 1024 * 1024),
    "== ticks",
    "100",
    "== processes",
    "S 1 1 1 0 -1 4194304 100 0 0 0 150 50 0 0 20 0 1 0 100 1000000 2560 1 | node server.mjs",
    "garbled",
  ].join("\n"));
  t.same(usage.memory, { totalMB: 512, usedMB: 128, limited: true });
  t.equal(usage.disks.length, 1);
  t.same(usage.processes, [{ command: "node server.mjs", state: "S", memoryMB: 10, cpuSeconds: 2 }]);
  t.end();
});
