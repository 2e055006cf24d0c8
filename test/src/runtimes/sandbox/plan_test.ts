import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import t from "tap";
import { imageLayout, readLayout } from "../../../../src/runtimes/sandbox/layout.ts";
import { candidateMethods, type Method } from "../../../../src/runtimes/sandbox/isolation_support.ts";
import { mountTable, type SandboxPlan, startScript } from "../../../../src/runtimes/sandbox/start_script.ts";
import { quoted } from "../../../../src/platform/process.ts";
import { cpuList } from "../../../../src/runtimes/sandbox/limiter.ts";

t.test("the layout shows what is allowed, hides what is private, and copies merged links", async (t) => {
  const root = t.testdir({
    usr: { bin: {} },
    etc: { passwd: "", key: "", ssh: { ssh_host_rsa_key: "" }, "sudoers": "" },
    home: { me: {} },
    var: { lib: { dpkg: {}, docker: {}, postgresql: {} } },
  });
  await symlink("usr/bin", `${root}/bin`);
  await mkdir(`${root}/etc/private`);
  await writeFile(`${root}/etc/private/x`, "");
  await chmod(`${root}/etc/private`, 0o700);
  for (const name of ["key", "sudoers"]) await chmod(`${root}/etc/${name}`, 0o600);
  const layout = await readLayout(root);
  t.same(layout.layers.map(({ path }) => path), ["usr", "etc", "var/lib/dpkg"]);
  t.match(layout.links.find(({ path }) => path === "bin"), { target: "usr/bin" });
  t.same(layout.hidden.sort(), ["etc/key", "etc/private", "etc/ssh/ssh_host_rsa_key"]);
});

t.test("root tries an overlay on disk first; a user over the host's root gets read-only binds", (t) => {
  const methods = candidateMethods({ root: true, bubblewrap: true, hostRoot: true, filters: true });
  t.match(methods[0], {
    userNamespace: false,
    lower: "overlay",
    data: "disk",
    enter: "bubblewrap",
    filtered: true,
  });
  const user = candidateMethods({ root: false, bubblewrap: false, hostRoot: true, filters: false });
  t.notOk(user.some(({ filtered }) => filtered));
  t.same(
    methods.map(({ filtered }) => filtered),
    [...methods].map((_, at) => at < methods.length / 2),
    "filtered first",
  );
  t.ok(user.every((each) => each.userNamespace && each.lower === "read-only" && each.enter === "util-linux"));
  const image = candidateMethods({ root: false, bubblewrap: true, hostRoot: false, filters: true });
  t.ok(image.every((each) => each.lower === "user overlay"));
  t.end();
});

const method: Method = {
  userNamespace: false,
  lower: "overlay",
  data: "disk",
  enter: "util-linux",
  filtered: true,
};
const plan: SandboxPlan = {
  layout: imageLayout("tiny", "/images/a b:c/rootfs"),
  method,
  hostname: "pth-1",
  source: "/work/my plugin",
  shared: [],
  files: { "etc/hostname": "it's\n" },
  copies: [],
  ownNetwork: false,
};

t.test("no mount is noted in the host's own table, which fails it where PTH is not root", (t) => {
  const enters = ["bubblewrap", "util-linux"] as const;
  const methods = candidateMethods({ root: false, bubblewrap: true, hostRoot: true, filters: true });
  for (const each of [...methods, ...enters.map((enter): Method => ({ ...method, enter }))]) {
    const mounts = startScript("/box", { ...plan, method: each }).match(/(?<=^|; )mount .*/gm) ?? [];
    t.ok(mounts.length > 0);
    t.ok(mounts.every((command) => command.startsWith("mount -n ")), mounts.join("\n"));
  }
  t.end();
});

t.test("paths with spaces, colons and quotes survive the mount table and the script", (t) => {
  const rows = mountTable("/box", plan).trim().split("\n");
  t.equal(rows.length, 2);
  t.match(rows[0], "lowerdir=/images/a\\040b\\134:c/rootfs,upperdir=/box/data/upper/root");
  t.match(rows[1], "/work/my\\040plugin /box/mount/work/plugin none bind,nosuid,nodev");
  t.ok(rows.every((each) => /,nosuid,nodev 0 0$/.test(each)), "setuid and devices count for nothing");
  t.match(startScript("/box", plan), "printf %s 'it'\\''s\n' >'/box/mount/etc/hostname'");
  t.equal(quoted("a'b"), "'a'\\''b'");
  t.end();
});

t.test("a box from a snapshot copies its data and makes nothing anew", (t) => {
  const script = startScript("/box", { ...plan, snapshot: "/snap" });
  t.match(script, "cp -a --reflink=auto '/snap'/. '/box/data'/");
  t.notMatch(script, "/etc/hostname'");
  t.end();
});

t.test("data in memory has the size asked for", (t) => {
  const script = startScript("/box", { ...plan, method: { ...method, data: "memory" }, sizeMB: 50 });
  t.match(script, "mount -n -t tmpfs -o mode=755,nosuid,nodev,size=50m pth-box '/box/data'");
  t.end();
});

t.test("lists of CPUs are read", (t) => {
  t.same(cpuList("0-2,5"), [0, 1, 2, 5]);
  t.same(cpuList(""), []);
  t.end();
});
