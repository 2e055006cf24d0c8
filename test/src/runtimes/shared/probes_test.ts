import t from "tap";
import { judgedSince, parseHealth } from "../../../../src/runtimes/shared/health.ts";
import { limitsOf } from "../../../../src/runtimes/shared/limits.ts";
import { inspectScript, parseInspection } from "../../../../src/runtimes/shared/inspect_script.ts";

const health = (disk: number, more = "") =>
  `== disks\nFilesystem 1024-blocks Used Available Capacity Mounted on\noverlay 100 ${disk} 0 ${disk}% /\n` +
  `== processes\n1 (init) S 0 1\n9 (gone) Z 1 9\n` +
  `== meminfo\nMemTotal: 1000 kB\nMemAvailable: 750 kB\n${more}== clock\n1000\n`;

const at = 1_000_000;

t.test("health: plain numbers are healthy", (t) => {
  t.match(parseHealth(health(40), {}, at), {
    healthy: true,
    problems: [],
    diskUsedPercent: 40,
    memoryUsedPercent: 25,
    processes: 2,
    zombies: 1,
    otherDisks: {},
  });
  t.end();
});

t.test("health: the process that runs the script is none of the environment's", (t) => {
  t.match(parseHealth(health(40, "== runner\n9\n"), {}, at), { processes: 1, zombies: 0 });
  t.end();
});

t.test("health: where others' processes are seen, too, zombies of theirs do not count", (t) => {
  const zombies = Array.from({ length: 60 }, (_, at) => `${100 + at} (gone) Z 7 9`).join("\n");
  const text = health(40, `== processes\n${zombies}\n`);
  t.same(parseHealth(text, {}, at).problems, ["60 zombie processes"]);
  t.same(parseHealth(text, { own: [7] }, at).problems, ["60 zombie processes"]);
  const others = parseHealth(text, { own: [1, 8] }, at);
  t.match(others, { healthy: true, zombies: 0 });
  t.notOk("own" in others);
  t.end();
});

t.test("health: a full disk, killed processes and failed units are problems, the worst first", (t) => {
  const report = parseHealth(
    health(97, "== oom\noom_kill 2\n== units\nx.service loaded failed failed X\n"),
    {},
    at,
  );
  t.equal(report.healthy, false);
  t.same(report.failedUnits, ["x.service"]);
  t.match(report.problems, [/2 processes were killed/, /disk is 97 %/, /x\.service/]);
  t.end();
});

t.test("health: a limit below the machine's memory counts, none does not", (t) => {
  t.equal(parseHealth(health(1, "== limit\n512000\n== usage\n256000\n")).memoryUsedPercent, 50);
  t.equal(parseHealth(health(1, "== limit\nmax\n== usage\n256000\n")).memoryUsedPercent, 25);
  t.end();
});

t.test("health: a script that did not come to its end is a problem of its own", (t) => {
  t.match(parseHealth("== disks\noverlay 1 1 1 1% /\n"), {
    healthy: false,
    gone: true,
    problems: [/cannot run a shell script/],
  });
  const seen = { oomKills: 2, memoryUsedPercent: 99.7 };
  t.match(parseHealth("", seen).problems, [/cannot run/, /2 processes were killed/, /99.7 % of the memory/]);
  t.end();
});

t.test("health: what is degraded is named with numbers", (t) => {
  const told = (more: string, now = at) => parseHealth(health(1, more), {}, now).problems;
  t.same(told("== missing\n/etc/passwd\n"), ["/etc/passwd is missing"]);
  t.same(told("== inodes\noverlay 9 9 0 99% /\n"), ["99 % of the disk's inodes are used"]);
  t.same(told("== disks\nshm 9 9 0 100% /dev/shm\noverlay 9 1 8 7% /\n"), ["/dev/shm is 100 % full"]);
  t.match(told("== pressure\nfull avg10=42.00 avg60=1.00 avg300=0 total=1\n"), [
    /waited for memory during 42 %/,
  ]);
  t.match(told("== files\n95\t0\t100\n"), [/95 % of the open files/]);
  t.same(told("", at - 60_400), ["The clock inside is 61 s ahead of the host's"]);
  t.same(told("", at + 60_400), ["The clock inside is 60 s behind the host's"]);
  t.same(told("== inodes\nnone 0 0 0 - /\n"), [], "a file system without inodes");
  t.end();
});

t.test("health: a process is busy that has long used a processor and still does, whatever its name", (t) => {
  const row = (pid: number, command: string, ticks: number, start: number) =>
    `${pid} (${command}) R 1 1 1 0 -1 4194304 1 0 0 0 ${ticks} 0 0 0 20 0 1 0 ${start} 1 1\n`;
  const more = "== uptime\n100.00 90.00\n== processes\n" + row(7, "evil) R (name", 900, 9000) +
    row(8, "young", 100, 9900) + row(9, "server", 400, 0);
  const { busy, problems } = parseHealth(health(1, more), {}, at);
  t.same(busy, [{ pid: 7, command: "evil) R (name", cpuSeconds: 9 }]);
  t.same(problems, ["Process 7 (evil) R (name) keeps a processor busy, 9 s so far"]);
  t.end();
});

t.test("health: what was told already, or was so from the beginning, is no news", (t) => {
  const report = parseHealth(health(1, "== oom\noom_kill 2\n== units\nold.service\nnew.service\n"), {}, at);
  t.same(judgedSince(report, { oomKills: 1, failedUnits: ["old.service"] }).problems, [
    "1 process was killed for lack of memory",
    "Failed units: new.service",
  ]);
  t.match(judgedSince(report, { oomKills: 2, failedUnits: ["old.service", "new.service"] }), {
    healthy: true,
  });
  t.match(judgedSince(parseHealth(""), {}), { healthy: false }, "what is gone stays gone");
  t.end();
});

t.test("inspection: a tool that answers without a version counts as absent", (t) => {
  const inside = parseInspection(
    "== hostname\nh\n== cpus\n2\n== memory\n2048 kB\n== tools\nnode v20.1.0\nmake GNU Make 4.3\ncargo error: no toolchain\n",
  );
  t.match(inside, { hostname: "h", cpus: 2, memoryMB: 2, tools: { node: "20.1.0", make: "4.3" } });
  t.notOk("cargo" in inside.tools!);
  t.end();
});

t.test("inspection: without versions of programs none is started, and none is said to be absent", (t) => {
  t.match(inspectScript(), "--version");
  t.notMatch(inspectScript({ tools: false }), "--version");
  const inside = parseInspection("== hostname\nh\n== cpus\n2\n");
  t.match(inside, { hostname: "h", cpus: 2 });
  t.notOk("tools" in inside);
  t.end();
});

t.test("limits not asked for are not stated", (t) => {
  const enforced = { cpus: true, memory: false, disk: false };
  t.same(limitsOf({ cpus: 2, memoryMB: 64 }, enforced), [
    { name: "cpus", value: 2, enforced: true },
    { name: "memoryMB", value: 64, enforced: false },
  ]);
  t.same(limitsOf(undefined, enforced), []);
  t.end();
});

t.test("files of a disk in memory are told apart from what processes take", (t) => {
  const now = (memoryUsedPercent: number, memoryForFilesPercent: number) =>
    parseHealth(health(1, ""), { memoryUsedPercent, memoryForFilesPercent }).problems
      .filter((problem) => !problem.startsWith("The clock"));
  t.same(now(20, 60), []);
  t.match(now(20, 78), [/98 % of the memory is used, 78 % of it by files: this box's disk is in memory/]);
  t.end();
});
