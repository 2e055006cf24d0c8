import { join } from "node:path";
import t from "tap";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { textSources } from "../../../src/plugin/plugin_sources.ts";
import { recommendTier } from "../../../src/plugin/recommend_tier.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

const none = "/nowhere/plugin";
const tierOf = async (
  path: string,
  text: string,
) => (await recommendTier(none, textSources({ [path]: text })));

/** One line that needs a tier, and the words of its reason. */
const needing: [number, string, string, RegExp][] = [
  [2, "a.js", 'await run("systemctl", ["start", unit]);', /systemd/],
  [2, "a.ts", "const { stdout } = await execAsync(`sudo -n systemctl restart ${unit}`);", /systemd/],
  [2, "a.ts", "await $`journalctl -u ${unit}`;", /systemd/],
  [2, "a.py", 'subprocess.run(["/usr/bin/systemctl", "status", name], check=True)', /systemd/],
  [2, "a.py", 'os.system(f"useradd -m {name}")', /users/],
  [2, "a.rs", 'Command::new("useradd").arg("-m").arg(name).status()?;', /users/],
  [2, "a.go", 'out, err := exec.CommandContext(ctx, "crontab", "-l").Output()', /schedules/],
  [2, "a.py", "from crontab import CronTab", /schedules/],
  [2, "a.js", 'await writeFile("/etc/systemd/system/job.timer", text);', /systemd/],
  [2, "a.js", 'const systemd = await bus.getProxyObject("org.freedesktop.systemd1", "/");', /D-Bus/],
  [2, "a.js", 'import Docker from "dockerode";', /containers/],
  [2, "a.py", 'sock = connect("/var/run/docker.sock")', /containers/],
  [2, "a.py", "s = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM)", /raw sockets/],
  [2, "a.c", "int s = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);", /raw sockets/],
  [2, "a.go", "err := unix.Mount(from, to, kind, 0, options)", /mounts/],
  [2, "a.js", 'spawn("sh", ["-c", "mount /dev/sdb1 /mnt"]);', /mounts/],
  [3, "a.js", 'await execFile("sysctl", ["-w", `${name}=${value}`]);', /kernel parameters/],
  [3, "a.js", "const path = `/proc/sys/${name}`;\nawait writeFile(path, value);", /kernel parameters/],
  [3, "a.py", 'with open("/proc/sys/net/ipv4/ip_forward", "w") as file:', /kernel parameters/],
  [3, "a.py", 'subprocess.check_call(["modprobe", module])', /kernel modules/],
  [3, "a.go", 'cmd := exec.Command("nft", "-j", "list", "ruleset")', /firewall/],
  [3, "a.ts", 'await this.runCommand("iptables -A INPUT -j DROP");', /firewall/],
  [3, "a.js", 'exec("ip link set eth0 up");', /network/],
  [3, "a.js", 'spawnSync("sudo", ["reboot"]);', /turns off/],
  [3, "a.py", 'cmd = ["mkfs.ext4", device]\nrun(cmd)', /disks/],
  [3, "a.py", "fcntl.ioctl(device, request, buffer)", /ioctl/],
  [3, "a.js", 'exec("date -s @0");', /clock/],
];

for (const [tier, path, line, words] of needing) {
  t.test(`${path}: ${line.split("\n")[0]}`, async (t) => {
    const found = await tierOf(
      path,
      `\n// first\n${line}\n`.replace("// first", path.endsWith("py") ? "# first" : "// first"),
    );
    t.equal(found.tier, tier);
    t.match(found.reasons[0], {
      tier,
      what: words,
      file: path,
      line: 3,
      text: line.split("\n")[0]!.slice(0, 120),
    });
  });
}

/** Lines that mention such things and do none of them. */
const harmless: [string, string][] = [
  ["a.js", '// run("systemctl", ["start"])\n/* exec("modprobe x") */'],
  ["a.py", '"""Calls systemctl.\n\nsubprocess.run(["modprobe", "x"])\n"""\n# os.system("reboot")'],
  [
    "a.ts",
    'server.registerTool("mount", { description: "mount /dev/sdb1 somewhere, systemctl start too" }, f);',
  ],
  ["a.ts", 'z.string().describe("/etc/systemd/system/nginx.service or systemctl unit")'],
  ["a.ts", 'const blockedCommands = ["mkfs", "mount", "reboot", "iptables"];\nconst cmd = "ls";'],
  ["a.ts", 'if (command.startsWith("sudo reboot") || text.includes("modprobe")) refuse();'],
  ["a.ts", 'switch (name) { case "reboot": return callTool("reboot"); }'],
  ["a.ts", 'const forbiddenPath = "/proc/sys/kernel/x"; if (path.startsWith("/etc/systemd/system")) deny();'],
  ["a.js", 'const load = await readFile("/proc/sys/net/core/somaxconn");'],
  ["a.js", 'exec("ip -j addr show"); exec("sysctl -n kernel.hostname"); exec("mount"); exec("fdisk -l");'],
  ["a.js", 'exec("command -v systemctl"); exec("echo systemctl start"); exec("grep -r \'reboot\' .");'],
  ["a.js", 'program.command("reboot").description("modprobe x");'],
  ["a.js", 'throw new Error("systemctl failed; reboot");'],
  ["a.js", "const quoted = /[\"']/; const next = 'exec(\"reboot\")';"],
  ["a.py", "size = fcntl.ioctl(1, termios.TIOCGWINSZ, buffer)"],
  ["a.rs", "fn f<'a>(x: &'a str) -> &'a str { x } // Command::new(\"reboot\")"],
  ["test/a.js", 'run("systemctl", ["start"]);'],
  ["a_test.go", 'exec.Command("nft", "list")'],
  ["scripts/deploy.sh", "systemctl restart plugin"],
];

for (const [path, text] of harmless) {
  t.test(`only mentions: ${path}: ${text.split("\n")[0]}`, async (t) => {
    t.same(await tierOf(path, text), { tier: 1, reasons: [] });
  });
}

t.test("packages are told and raise nothing", async (t) => {
  const found = await tierOf("a.py", 'run(["apt-get", "install", "-y", name])');
  t.equal(found.tier, 1);
  t.match(found.reasons, [{ tier: 1, what: /installs packages/ }]);
});

t.test("a script counts where something that runs names it; what it hands to commands as text does not", async (t) => {
  const script =
    "#!/bin/sh\n# reboot\ncat <<EOF\nmodprobe x\nEOF\nif true; then sudo systemctl \\\n  start x; fi\n";
  const files = { "scripts/go.sh": script, "server.js": 'spawn("scripts/go.sh");' };
  const { tier, reasons } = await recommendTier(none, textSources(files));
  t.equal(tier, 2);
  t.match(reasons, [{ file: "scripts/go.sh", line: 6, what: /systemd/ }]);
  t.equal(reasons.length, 1);
});

t.test("the highest tier comes first, each sign with its first places", async (t) => {
  const many = 'run("systemctl", ["start"]);\n'.repeat(9);
  const { tier, reasons } = await recommendTier(
    none,
    textSources({ "a.js": many, "b.js": 'exec("nft list ruleset");' }),
  );
  t.equal(tier, 3);
  t.same(reasons.map(({ tier, file, line }) => [tier, file, line]), [
    [3, "b.js", 1],
    [2, "a.js", 1],
    [2, "a.js", 2],
    [2, "a.js", 3],
  ]);
});

t.test("what the plugin declares stands above what its source tells", async (t) => {
  const folder = await temporaryFolder(t);
  await writeTextFile(join(folder, "server.js"), 'exec("nft list ruleset");\n');
  await writeTextFile(join(folder, "package.json"), '{\n  "name": "x",\n  "pth": { "tier": 2 }\n}\n');
  const { tier, reasons } = await recommendTier(folder);
  t.equal(tier, 2);
  t.match(reasons[0], { tier: 2, what: /declared/, file: "package.json", line: 3 });
  await writeTextFile(join(folder, "package.json"), '{ "pth": { "tier": 4 } }');
  await t.rejects(recommendTier(folder), {
    code: "INVALID_CONFIG",
    message: /package\.json:1:20 expected pth\.tier to be 1, 2 or 3, not 4/,
  });
});

t.test("what others wrote does not count: dependencies, bundles", async (t) => {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, "node_modules/x"), { recursive: true });
  await writeTextFile(join(folder, "node_modules/x/index.js"), 'exec("reboot");');
  await writeTextFile(join(folder, "bundle.js"), `${"x();".repeat(2000)}exec("reboot");`);
  t.same(await recommendTier(folder), { tier: 1, reasons: [] });
});
