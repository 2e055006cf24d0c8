import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import type { EnvironmentFingerprint } from "../../../../machines/model/environment.ts";
import { run } from "../../../../src/platform/process.ts";
import { configTexts } from "../../../../src/runtimes/shared/config_texts.ts";
import { compareFingerprints, markLoaded } from "../../../../src/runtimes/shared/drift.ts";
import { deleted, parseFingerprint } from "../../../../src/runtimes/shared/fingerprint.ts";

/** What a script that came to its end has printed. */
const parse = (text: string) => parseFingerprint(`${text}\n== end\n`);

const fingerprint = (more: Partial<EnvironmentFingerprint> = {}): EnvironmentFingerprint => ({
  ...parse(""),
  ...more,
});

const mapped = (...paths: string[]) => Object.fromEntries(paths.map((path) => [path, "1 1"]));

/** A folder as the fingerprint's script packs /etc. */
async function packed(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pth-texts-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(join(folder, path, ".."), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const script = `cd "$1" && find etc -type f | tar -czf - -T - | base64`;
    return (await run(["sh", "-c", script, "sh", folder])).stdout.replaceAll("\n", "");
  } finally {
    await rm(folder, { recursive: true });
  }
}

t.test("a fingerprint holds packages of all kinds, units, groups, parameters and mounts", (t) => {
  const print = parse(
    [
      "== packages",
      "git 1:2.39",
      "== npm",
      '/usr/lib/node_modules/npm/package.json:  "version": "10.1.0",',
      '/usr/local/lib/node_modules/@a/b/package.json:  "version": "0.1.0-beta",',
      "== pip",
      "/usr/lib/python3/dist-packages/PyYAML-6.0.dist-info",
      "== groups",
      "root:",
      "docker:ann,bob",
      "== units",
      "cron.service loaded active running Regular jobs",
      "once.service loaded active exited Once",
      "bad.service loaded failed failed Bad",
      "daily.timer loaded active waiting Daily",
      "== enabled",
      "multi-user.target.wants/cron.service /lib/systemd/system/cron.service",
      "getty.target.wants/getty@tty1.service /lib/systemd/system/getty@.service",
      "default.target /lib/systemd/system/multi-user.target",
      "timers.target.wants/fstrim.timer /lib/systemd/system/fstrim.timer",
      "fstrim.timer /dev/null",
      "== sysctl",
      "/proc/sys/net/ipv4/ip_forward:0",
      "/proc/sys/kernel/sem:32000\t1024",
      "== mounts",
      "tmpfs /mnt/x tmpfs",
    ].join("\n"),
  );
  t.same(print.packages, {
    "git": "1:2.39",
    "npm:npm": "10.1.0",
    "npm:@a/b": "0.1.0-beta",
    "pip:PyYAML": "6.0",
  });
  t.same([print.services, print.timers, print.failedUnits, print.enabled], [
    ["cron.service"],
    ["daily.timer"],
    ["bad.service"],
    ["cron.service", "getty@tty1.service", "multi-user.target"],
  ]);
  t.same(print.groups, { root: "", docker: "ann,bob" });
  t.same(print.sysctl, { "net.ipv4.ip_forward": "0", "kernel.sem": "32000 1024" });
  t.same(print.mounts, { "/mnt/x": "tmpfs (tmpfs)" });
  t.end();
});

t.test("only ports that a visible process holds count: TCP, UDP, and sockets with a path", (t) => {
  const row = (address: string, state: string, inode: number) =>
    `   0: ${address} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  0  0 ${inode} 1 0`;
  const print = parse([
    "== sockets",
    ...[11, 13, 14, 15].map((inode) => `socket:[${inode}`),
    "== tcp",
    row("0100007F:1F90", "0A", 11),
    row("00000000:0016", "0A", 12),
    "== udp",
    row("00000000:0035", "07", 13),
    "== unix",
    "ffff: 00000002 00000000 00010000 0001 01 14 /run/app.sock",
    "ffff: 00000002 00000000 00010000 0001 01 15 @abstract",
    "ffff: 00000002 00000000 00010000 0001 01 16 /run/other.sock",
  ].join("\n"));
  t.same(print.ports, ["tcp/8080", "udp/53", "unix/run/app.sock"]);
  t.end();
});

t.test("an environment that cannot be looked at is an error, not one that lost everything", (t) => {
  const message = "Cannot look at the environment: it cannot run a shell script any more";
  for (const text of ["", "== packages\nadduser 3\n"]) t.throws(() => parseFingerprint(text), { message });
  t.end();
});

t.test("files are compared by size and time; what is marked as deleted was removed", (t) => {
  const listed = (text: string) => parse(`== files\n${text}`);
  const before = listed("1 10.5 /usr/bin/a\n2 10.5 /opt/with space\n3 10.5 /usr/gone");
  const after = { ...listed("1 10.5 /usr/bin/a\n2 11.0 /opt/with space") };
  after.files["/usr/bin/git"] = deleted;
  t.same(compareFingerprints(before, after).changes, [
    { group: "file", change: "removed", name: "/usr/bin/git" },
    { group: "file", change: "removed", name: "/usr/gone" },
    { group: "file", change: "changed", name: "/opt/with space" },
  ]);
  t.match(
    compareFingerprints(after, { ...after, files: { ...after.files, "/usr/bin/git": "1 12" } }).changes,
    [
      { change: "added", name: "/usr/bin/git" },
    ],
  );
  t.end();
});

t.test("drift names what was added, removed and changed", (t) => {
  const before = fingerprint({
    packages: { git: "1", curl: "7" },
    users: ["root"],
    groups: { docker: "ann" },
    ports: ["tcp/1"],
    sysctl: { "net.ipv4.ip_forward": "0" },
  });
  const after = fingerprint({
    packages: { git: "2" },
    enabled: ["x.service"],
    users: ["root", "x"],
    groups: { docker: "" },
    sysctl: { "net.ipv4.ip_forward": "1" },
  });
  t.same(compareFingerprints(before, before), { drifted: false, changes: [] });
  const { drifted, changes } = compareFingerprints(before, after);
  t.equal(drifted, true);
  t.same(changes, [
    { group: "package", change: "removed", name: "curl", detail: "7" },
    { group: "package", change: "changed", name: "git", detail: "1 → 2" },
    { group: "service", change: "added", name: "x.service", detail: "started at boot" },
    { group: "user", change: "added", name: "x" },
    { group: "group", change: "changed", name: "docker", detail: "ann → none" },
    { group: "port", change: "removed", name: "tcp/1" },
    { group: "sysctl", change: "changed", name: "net.ipv4.ip_forward", detail: "0 → 1" },
  ]);
  t.end();
});

t.test("changed configuration is shown as a diff, where everyone may read it", async (t) => {
  const before = fingerprint({
    config: { "/etc/app.conf": "1", "/etc/shadow": "1", "/etc/gone": "1", "/etc/cron.d/job": "1" },
    configTexts: await packed({
      "etc/app.conf": "a\nlevel=1\nz\n",
      "etc/gone": "bye\n",
      "etc/cron.d/job": "1\n",
    }),
  });
  const after = fingerprint({
    config: { "/etc/app.conf": "2", "/etc/shadow": "2", "/etc/new": "1", "/etc/cron.d/job": "2" },
    configTexts: await packed({
      "etc/app.conf": "a\nlevel=2\nz\n",
      "etc/new": "hello\n",
      "etc/cron.d/job": "2\n",
    }),
  });
  const byName = new Map(compareFingerprints(before, after).changes.map((change) => [change.name, change]));
  t.match(byName.get("/etc/app.conf")?.diff, /^@@ .*\n a\n-level=1\n\+level=2\n z$/);
  t.match(byName.get("/etc/new"), { change: "added", diff: /\+hello/ });
  t.match(byName.get("/etc/gone"), { change: "removed", diff: /-bye/ });
  t.match(byName.get("/etc/cron.d/job"), { group: "cron", diff: /-1\n\+2/ });
  t.same(byName.get("/etc/shadow"), {
    group: "config",
    change: "changed",
    name: "/etc/shadow",
    detail: "its text is not shown: private, large, or no text",
  });
});

t.test("texts: long paths come through, binary files and a torn archive do not", async (t) => {
  const long = `etc/${"folder/".repeat(30)}file.conf`;
  const texts = configTexts(await packed({ [long]: "deep\n", "etc/binary": "a\0b" }));
  t.same([...texts], [[`/${long}`, "deep\n"]]);
  t.equal(configTexts("bm90IGd6aXA=").size, 0);
  t.equal(configTexts(undefined).size, 0);
});

t.test("noise is left out, counted, and explained", (t) => {
  const after = fingerprint({
    files: mapped(
      ...["/tmp/x", "/tmp/y", "/root/.npm/z", "/var/log/app.log", "/usr/bin/new"],
      ...["/work/.pth/services/web/log", "/work/.pth/services/web/pid"],
    ),
    config: { "/etc/resolv.conf": "1", "/etc/passwd-": "1", "/etc/passwd": "1" },
    ports: ["udp/40000", "udp/53"],
    services: ["apt-daily.service", "redis.service"],
    mounts: { "/run/user/0": "tmpfs (tmpfs)", "/mnt/data": "/dev/sdb (ext4)" },
  });
  const { changes, ignored } = compareFingerprints(fingerprint(), after);
  t.same(changes.map(({ name }) => name), [
    "redis.service",
    "udp/53",
    "/etc/passwd",
    "/mnt/data",
    "/usr/bin/new",
  ]);
  t.match(ignored?.find(({ what }) => what.startsWith("scratch files")), {
    count: 2,
    why: /gone with the next start/,
  });
  t.equal(ignored?.reduce((sum, { count }) => sum + count, 0), 11);
  t.end();
});

t.test("an address that the engine gives is noise, a name that a test adds to it is not", async (t) => {
  const hosts = async (text: string) =>
    fingerprint({ config: { "/etc/hosts": text }, configTexts: await packed({ "etc/hosts": text }) });
  const before = await hosts("127.0.0.1 localhost\n172.17.0.2\tpth-e1\n");
  t.match(compareFingerprints(before, await hosts("127.0.0.1 localhost\n172.17.0.3\tpth-e1\n")), {
    drifted: false,
  });
  const named = await hosts("127.0.0.1 localhost\n172.17.0.3\tpth-e1\n10.0.0.1 db\n");
  t.match(compareFingerprints(before, named), { drifted: true });
});

t.test("only noise is no drift", (t) => {
  t.match(compareFingerprints(fingerprint(), fingerprint({ files: mapped("/tmp/x") })), {
    drifted: false,
    changes: [],
  });
  t.end();
});

t.test("what the plugin's load brought is no reason for alarm, until it changes again", (t) => {
  const fresh = fingerprint({ config: { "/etc/app.conf": "1" } });
  const loaded = fingerprint({ config: { "/etc/app.conf": "2" }, ports: ["tcp/80"] });
  const load = compareFingerprints(fresh, loaded);
  const marked = (now: EnvironmentFingerprint) =>
    markLoaded(compareFingerprints(fresh, now), load, compareFingerprints(loaded, now));
  t.match(marked(loaded), { drifted: false, changes: [{ byLoad: true }, { byLoad: true }] });
  const { drifted, changes } = marked({ ...loaded, config: { "/etc/app.conf": "3" } });
  t.equal(drifted, true);
  t.same(changes.map(({ name, byLoad }) => [name, byLoad]), [["tcp/80", true], ["/etc/app.conf", undefined]]);
  t.end();
});
