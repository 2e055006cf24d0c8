/**
 * Plays an attacker in a box, and prints what came of it as JSON. Run by confinement_test.ts, as root and as another user.
 * Arguments: what makes the box, and the name of an abstract socket of the host.
 */
import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { arch } from "node:os";
import process from "node:process";
import { runCommand } from "../../../src/platform/process.ts";
import { createSandbox } from "../../../src/runtimes/sandbox.ts";

const [enter, socketName] = process.argv.slice(2) as ["bubblewrap" | "util-linux", string];
const { addKey, keyctl, uring } = arch() === "arm64"
  ? { addKey: 217, keyctl: 219, uring: 425 }
  : { addKey: 248, keyctl: 250, uring: 425 };
const perl = (script: string) => ["perl", "-MSocket", "-MErrno", "-e", script];
const said = ({ stdout, stderr }: { stdout: string; stderr: string }) => (stdout + stderr).trim();

/** Reads a key by its number, as whoever possesses it may. */
const readKey = (id: string) =>
  perl(`my $to = "\\0" x 64; my $n = syscall(${keyctl}, 11, ${id}, $to, 64, 0);
    print $n < 0 ? "refused: $!" : substr($to, 0, $n)`);
const openSocket = (family: number) =>
  perl(`print socket(my $s, ${family}, SOCK_STREAM, 0) ? "opened" : $!{EPERM} ? "refused" : "failed: $!"`);
const abstract = perl(
  `socket(my $s, AF_UNIX, SOCK_STREAM, 0); print connect($s, pack_sockaddr_un("\\0$ARGV[0]")) ? "connected" : "refused: $!"`,
).concat(socketName);

// A key of the host's user, in the session keyring that everything started here inherits.
const made = await runCommand(
  perl(`my ($type, $name, $value) = ("user", "canary", "the host's key");
    print syscall(${addKey}, $type, $name, $value, length $value, -3)`),
);
const key = made.stdout.trim();

const runtime = createSandbox(enter);
const spec = { sessionId: "attack", tier: 1 as const, env: {}, resources: {} };
const handle = await runtime.provision({ ...spec, environmentId: `attack-${randomUUID()}` });
const without = await runtime.provision({
  ...spec,
  environmentId: `attack-${randomUUID()}`,
  network: "none",
});
try {
  const inside = async (command: string[], env: Record<string, string> = {}) =>
    said(await runtime.exec(handle, command, { cwd: "/", env }));
  const shell = (script: string) => inside(["sh", "-c", script]);
  const state = await runtime.inspect(handle);
  // A program of a plugin's at a place of the host that it may have guessed.
  const decoy = `${(handle.state as { folder: string }).folder}/bin`;
  const lies = `#!/bin/sh\ntouch '${decoy}/ran'\n`;
  await mkdir(decoy);
  for (const name of ["nsenter", "sh", "perl"]) await writeFile(`${decoy}/${name}`, lies, { mode: 0o755 });
  const folder = (handle.state as { folder: string }).folder;
  const found = {
    notes: state.notes ?? [],
    keyOnHost: said(await runCommand(readKey(key))),
    keyInside: await inside(readKey(key)),
    keyList: await shell("cat /proc/keys 2>&1"),
    vsockOnHost: said(await runCommand(openSocket(40))),
    vsockInside: await inside(openSocket(40)),
    inetInside: await inside(openSocket(2)),
    uringInside: await inside(
      perl(`my $to = "\\0" x 128; print syscall(${uring}, 1, $to) < 0 ? "$!" : "made"`),
    ),
    /** Of the command, and of the box's first process. */
    filters: await shell(
      "grep -h -E '^(Seccomp|NoNewPrivs):' /proc/self/status /proc/1/status | tr -s '\\t\\n' ' '",
    ),
    mounts: (await shell("cat /proc/self/mounts")).split("\n").map((line) => line.split(" "))
      .filter(([, where]) => !/^\/(proc|sys|dev)\b/.test(where!))
      .map(([, where, , options]) => ({ where, options: options!.split(",") })),
    device: await shell("mknod /root/zero c 1 5 && head -c 1 /root/zero | od -An -tx1"),
    setuid: await shell(
      "cp /bin/sh /usr/local/bin/raised 2>/dev/null || cp /bin/sh /tmp/raised; " +
        "raised=$(ls /usr/local/bin/raised /tmp/raised 2>/dev/null | head -n 1); chmod 4755 $raised; " +
        "setpriv --reuid 65534 --regid 65534 --clear-groups sh -c \"$raised -p -c 'id -u'\"",
    ),
    /** Copies of it that lie on the host's disk. */
    setuidOnHost: (await runCommand(["find", folder, "-name", "raised", "-perm", "-4000"])).stdout.trim()
      .split(
        "\n",
      ),
    folder,
    hostVariables: await inside(["printenv", "PERL5OPT", "LD_PRELOAD", "PATH"], {
      PERL5OPT: "-d",
      PERL5DB: `BEGIN { open F, ">", "${decoy}/ran" }`,
      LD_PRELOAD: "/no/such.so",
      PATH: `/usr/bin:/bin:${decoy}`,
    }),
    decoyTaken: await inside(["echo", "real"], { PATH: `${decoy}:/usr/bin:/bin` }),
    ranOnHost: (await runCommand(["ls", `${decoy}/ran`])).code === 0,
    abstractShared: await inside(abstract),
    abstractNone: said(await runtime.exec(without, abstract, { cwd: "/" })),
  };
  if (process.argv[4] === "hold") {
    // Whoever started this looks at the box's files from outside.
    console.log(JSON.stringify(found));
    process.stdin.resume();
    await new Promise((resolve) => process.stdin.once("end", resolve));
  } else console.log(JSON.stringify(found));
} finally {
  await runtime.destroy(handle);
  await runtime.destroy(without);
}
process.exit(0);
