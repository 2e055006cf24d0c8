import t from "tap";
import type { EnvironmentFingerprint } from "../../../../machines/model/environment.ts";
import { compareFingerprints } from "../../../../src/runtimes/shared/drift.ts";
import { parseFingerprint } from "../../../../src/runtimes/shared/fingerprint.ts";
import { parseHealth } from "../../../../src/runtimes/shared/health.ts";
import { limitsOf } from "../../../../src/runtimes/shared/limits.ts";
import { parseLook } from "../../../../src/runtimes/shared/look_inside.ts";

const health = (disk: number, more = "") =>
  `== disk\n${disk}%\n== processes\n7\n== zombies\n1\n== meminfo\nMemTotal: 1000 kB\nMemAvailable: 750 kB\n${more}`;

t.test("health: plain numbers are healthy", (t) => {
  t.match(parseHealth(health(40)), {
    healthy: true,
    problems: [],
    diskUsedPercent: 40,
    memoryUsedPercent: 25,
    processes: 7,
    zombies: 1,
  });
  t.end();
});

t.test("health: a full disk, killed processes and failed units are problems, the worst first", (t) => {
  const report = parseHealth(health(97, "== oom\noom_kill 2\n== units\nx.service\n"));
  t.equal(report.healthy, false);
  t.same(report.failedUnits, ["x.service"]);
  t.match(report.problems, [/2 processes were killed/, /disk is 97 %/, /x\.service/]);
  t.end();
});

t.test("health: a limit below the machine's memory counts, none does not", (t) => {
  t.equal(parseHealth(health(1, "== limit\n512000\n== usage\n256000\n")).memoryUsedPercent, 50);
  t.equal(parseHealth(health(1, "== limit\nmax\n== usage\n256000\n")).memoryUsedPercent, 25);
  t.equal(parseHealth("").memoryUsedPercent, 0);
  t.end();
});

t.test("fingerprint: only ports that a visible process holds count, scratch files do not", (t) => {
  const print = parseFingerprint(
    "== packages\ngit 1:2.39\n== users\nroot\n== services\n== sockets\nsocket:[11\n== listening\n" +
      "0100007F:1F90 11\n00000000:0016 12\n== config\nabc  /etc/with space\n",
    ["/tmp/x", "/root/.npm/y", "/usr/bin/new"],
  );
  t.match(print, { packages: { git: "1:2.39" }, users: ["root"], services: [] });
  t.same(print.ports, ["tcp/8080"]);
  t.same(print.files, ["/usr/bin/new"]);
  t.end();
});

t.test("drift names what was added, removed and changed", (t) => {
  const before: EnvironmentFingerprint = {
    takenAt: "",
    packages: { git: "1", curl: "7" },
    services: [],
    users: ["root"],
    ports: ["tcp/1"],
    config: { "/etc/a": "1" },
    files: [],
  };
  const after = {
    ...before,
    packages: { git: "2" },
    users: ["root", "x"],
    ports: [],
    config: { "/etc/a": "2" },
  };
  t.same(compareFingerprints(before, before), { drifted: false, changes: [] });
  const { drifted, changes } = compareFingerprints(before, after);
  t.equal(drifted, true);
  t.same(changes, [
    { group: "package", change: "removed", name: "curl" },
    { group: "package", change: "changed", name: "git", detail: "1 → 2" },
    { group: "user", change: "added", name: "x" },
    { group: "port", change: "removed", name: "tcp/1" },
    { group: "config", change: "changed", name: "/etc/a" },
  ]);
  t.end();
});

t.test("inspection: a tool that answers without a version counts as absent", (t) => {
  const inside = parseLook(
    "== hostname\nh\n== cpus\n2\n== memory\n2048 kB\n== tools\nnode v20.1.0\nmake GNU Make 4.3\ncargo error: no toolchain\n",
  );
  t.match(inside, { hostname: "h", cpus: 2, memoryMB: 2, tools: { node: "20.1.0", make: "4.3" } });
  t.notOk("cargo" in inside.tools);
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
