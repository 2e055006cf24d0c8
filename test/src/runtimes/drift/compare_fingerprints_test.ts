import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import type { EnvironmentFingerprint } from "../../../../machines/model/environment.ts";
import { runCommand } from "../../../../src/platform/process.ts";
import {
  compareFingerprints,
  configTexts,
  markLoaded,
} from "../../../../src/runtimes/drift/compare_fingerprints.ts";
import { parseFingerprint } from "../../../../src/runtimes/drift/fingerprint.ts";
import { deleted } from "../../../../src/runtimes/drift/files_in.ts";

/** What a script that came to its end has printed. */
const parse = (text: string) => parseFingerprint(`== packages\n${text}\n== end\n`);

const fingerprint = (more: Partial<EnvironmentFingerprint> = {}): EnvironmentFingerprint => ({
  ...parse(""),
  ...more,
});

/** What `find` tells of files; a line without the tab before a link's target gets it. */
const listed = (...lines: string[]) =>
  parse(["== files", ...lines.map((line) => line.includes("\t") ? line : `${line}\t`)].join("\n"));

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
    return (await runCommand(["sh", "-c", script, "sh", folder])).stdout.replaceAll("\n", "");
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
  const message = "Cannot inspect the environment: it cannot run a shell script any more";
  for (const text of ["", "== packages\nadduser 3\n"]) t.throws(() => parseFingerprint(text), { message });
  t.end();
});

t.test("files are compared by size and time; what is marked as deleted was removed", (t) => {
  const before = listed(
    "f 755 0:0 1 10.5 /usr/bin/a",
    "f 644 0:0 2 10.5 /opt/with space",
    "f 644 0:0 3 10.5 /usr/gone",
  );
  const after = { ...listed("f 755 0:0 1 10.5 /usr/bin/a", "f 644 0:0 2 11.0 /opt/with space") };
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
  const podman = (address: string, more = "") =>
    hosts(
      `127.0.0.1 localhost\n${address} pth-e1 pth-e1${more}\n10.88.0.${
        address.at(-1)
      } host.containers.internal host.docker.internal\n`,
    );
  t.match(compareFingerprints(await podman("10.88.0.4"), await podman("10.88.0.5")), { drifted: false });
  t.match(compareFingerprints(await podman("10.88.0.4"), await podman("10.88.0.5", " db")), {
    drifted: true,
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

t.test("modes, owners, setuid bits and the targets of links are compared", (t) => {
  const before = listed(
    "f 755 0:0 1 10 /usr/bin/a",
    "d 755 0:0 4096 10 /etc",
    "f 644 0:0 1 10 /etc/shadow",
    "l 777 0:0 4 10 /etc/localtime\tUTC",
    "l 777 0:0 4 10 /usr/bin/awk\tmawk",
    "f 644 0:0 1 10 /tmp/noise",
  );
  const after = listed(
    "f 4755 0:0 1 10 /usr/bin/a",
    "d 777 0:0 4096 11 /etc",
    "f 644 33:0 1 10 /etc/shadow",
    "l 777 0:0 4 11 /etc/localtime\tGMT",
    "l 777 0:0 4 10 /usr/bin/awk\tmawk",
    "l 777 0:0 4 10 /usr/bin/new\t/tmp/x y",
    "f 600 0:0 1 10 /tmp/noise",
    "f 6755 0:0 1 10 /tmp/shell",
    "c 600 0:0 0 10 /srv/device",
    "c 0 0:0 0 10 /usr/bin/whiteout",
  );
  t.same(compareFingerprints(before, after).changes, [
    { group: "file", change: "added", name: "/srv/device" },
    { group: "file", change: "removed", name: "/usr/bin/whiteout" },
    { group: "link", change: "added", name: "/usr/bin/new", detail: "/tmp/x y" },
    { group: "link", change: "changed", name: "/etc/localtime", detail: "UTC → GMT" },
    { group: "mode", change: "changed", name: "/usr/bin/a", detail: "755 0:0 → 4755 0:0 (setuid)" },
    { group: "mode", change: "changed", name: "/etc", detail: "755 0:0 → 777 0:0" },
    { group: "mode", change: "changed", name: "/etc/shadow", detail: "644 0:0 → 644 33:0" },
    { group: "mode", change: "added", name: "/tmp/shell", detail: "6755 0:0 (setuid, setgid)" },
  ]);
  t.end();
});

t.test("capabilities, addresses, host name, packet filter and kernel modules are compared", (t) => {
  const six = (address: string, flags: string) => `${address} 02 40 00 ${flags} eth0`;
  const look = (...lines: string[]) => parse(lines.join("\n"));
  const before = look(
    "== hostname",
    "here",
    "== inet",
    "           |-- 127.0.0.1",
    "           |-- 172.17.0.2",
    "== firewall",
    "table inet own {",
    "}",
    "== modules",
    "virtio",
    "== files",
    "/usr/bin/ping cap_net_raw=ep",
  );
  const after = look(
    "== hostname",
    "there",
    "== inet",
    "           |-- 127.0.0.1",
    "           |-- 10.9.0.1",
    "           |-- 172.17.0.2",
    "== inet6",
    six("fe8000000000000000000000000000aa", "80"),
    six("fec00000000000005054000000000001", "00"),
    six("fd000000000000000000000000000001", "80"),
    "== firewall",
    "table inet own {",
    "\tset blocked {",
    "}",
    "== modules",
    "virtio",
    "dummy",
    "tcp_diag",
    "== files",
    "/usr/bin/ping = cap_net_raw+ep",
    "/usr/bin/with space cap_sys_admin,cap_net_raw=ep",
  );
  t.same(compareFingerprints(before, after).changes, [
    { group: "hostname", change: "changed", name: "there", detail: "here → there" },
    { group: "address", change: "added", name: "10.9.0.1" },
    { group: "address", change: "added", name: "fd00::1/64" },
    {
      group: "firewall",
      change: "changed",
      name: "rules",
      diff: "@@ -1,2 +1,3 @@\n table inet own {\n+\tset blocked {\n }",
    },
    { group: "module", change: "added", name: "dummy" },
    {
      group: "capability",
      change: "added",
      name: "/usr/bin/with space",
      detail: "cap_sys_admin,cap_net_raw=ep",
    },
    {
      group: "capability",
      change: "changed",
      name: "/usr/bin/ping",
      detail: "cap_net_raw=ep → cap_net_raw+ep",
    },
  ]);
  const given = parseFingerprint("== packages\n== inet\n |-- 172.17.0.2\n== end\n", {
    given: ["172.17.0.2"],
  });
  t.same(given.addresses, [], "what the engine gives is another one after each rollback");
  t.end();
});

t.test("what could not be looked at is said", (t) => {
  const after = parse("== unseen\ncapabilities of files: getcap is missing");
  t.same(compareFingerprints(parse(""), after).unseen, [
    { what: "capabilities of files", why: "getcap is missing" },
  ]);
  t.end();
});

t.test("a picture whose beginning is lost is an error: all packages would seem to be removed", (t) => {
  t.throws(() => parseFingerprint("== files\n== end\n"), {
    message: "Cannot inspect the environment: it holds too many files",
  });
  t.end();
});

t.test("over a machine's own root, what the machine shows and changes itself is no drift", (t) => {
  const host = {
    packages: { git: "1" },
    users: ["root"],
    groups: { adm: "" },
    config: { "/etc/app.conf": "1", "/etc/gone": "1", "/etc/hidden": "1" },
  };
  const { "/etc/hidden": _private, ...config } = host.config;
  const before = fingerprint({ ...host, config: { ...config, "/etc/hosts": "own" }, beneath: host });
  const later = {
    packages: { git: "2", curl: "1" },
    users: ["root", "ann"],
    groups: { adm: "ann" },
    config: { "/etc/app.conf": "2", "/etc/new": "1", "/etc/hidden": "2", "/etc/hosts": "host" },
  };
  const { "/etc/hidden": _still, ...shown } = later.config;
  const after = (more: Partial<EnvironmentFingerprint> = {}) =>
    fingerprint({ ...later, config: { ...shown, "/etc/hosts": "own" }, beneath: later, ...more });
  t.same(compareFingerprints(before, after()), { drifted: false, changes: [] });
  const ofBox = after({
    packages: { git: "2", curl: "1", jq: "1" },
    users: ["ann", "root", "bob"],
    groups: { adm: "ann", own: "" },
    config: { "/etc/app.conf": "3", "/etc/hosts": "own" },
  });
  t.same(compareFingerprints(before, ofBox).changes.map(({ group, name, change }) => [group, name, change]), [
    ["package", "jq", "added"],
    ["user", "bob", "added"],
    ["group", "own", "added"],
    ["config", "/etc/app.conf", "changed"],
  ]);
  t.end();
});

t.test("a file that differs only since then was as the machine beneath has it", (t) => {
  const beneath = {
    files: { "/usr/bin/a": "1 1", "/usr/bin/gone": "1 1" },
    modes: { "/usr": "d755 0:0", "/usr/bin/a": "755 0:0", "/usr/bin/gone": "755 0:0" },
    links: { "/etc/localtime": "UTC" },
    capabilities: { "/usr/bin/a": "cap_net_raw=ep" },
  };
  const after = fingerprint({
    files: { "/usr/bin/a": "1 1", "/usr/bin/new": "1 1", "/usr/bin/gone": deleted },
    modes: { "/usr": "d755 0:0", "/usr/bin/a": "4755 0:0", "/usr/bin/new": "755 0:0" },
    links: { "/etc/localtime": "GMT" },
    beneath,
  });
  const found = compareFingerprints(fingerprint({ beneath: {} }), after).changes;
  t.same(found.map(({ group, change, name }) => [group, change, name]), [
    ["file", "added", "/usr/bin/new"],
    ["file", "removed", "/usr/bin/gone"],
    ["link", "changed", "/etc/localtime"],
    ["mode", "changed", "/usr/bin/a"],
    ["capability", "removed", "/usr/bin/a"],
  ]);
  t.same(compareFingerprints(after, { ...fingerprint({ beneath: {} }) }).changes.map(({ name }) => name), [
    "/usr/bin/new",
    "/usr/bin/gone",
    "/etc/localtime",
    "/usr/bin/a",
    "/usr/bin/a",
  ], "as when a rollback took it away");
  t.end();
});
