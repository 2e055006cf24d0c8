import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { access, chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { arch, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { isDeno } from "../../../src/platform/host.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { eventually } from "../../contracts/runtime/context.ts";

t.setTimeout(180_000);
const nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"];
const file = fileURLToPath(new URL("./attacks.ts", import.meta.url));
const own = isDeno ? ["run", "-A", file] : [...process.execArgv, file];
const perl = (await runCommand(["perl", "-v"]).catch(() => undefined))?.code === 0;

/** Listens on an abstract socket: every process of the same network reaches it. */
const listen =
  `use Socket; socket(my $s, AF_UNIX, SOCK_STREAM, 0); bind($s, pack_sockaddr_un("\\0$ARGV[0]")) or die;
listen($s, 9); $| = 1; print "up\\n"; accept(my $c, $s) while 1`;
/** Begins a session keyring, as a login does: all that is started from here has it. */
const keyring = ["perl", "-e", `syscall ${arch() === "arm64" ? 219 : 250}, 1, 0, 0, 0, 0; exec @ARGV`];
const socketName = `pth-canary-${randomUUID()}`;

interface Found {
  notes: string[];
  mounts: { where: string; options: string[] }[];
  setuidOnHost: string[];
  ranOnHost: boolean;
  folder: string;
  [name: string]: unknown;
}

/** What came of the attacks, while the box still stands; `undefined` where the user cannot run them. */
async function attack(t: Test, enter: string, as: readonly string[]) {
  const home = await mkdtemp(join(tmpdir(), "pth-attack-"));
  t.teardown(() => rm(home, { recursive: true, force: true }));
  await chmod(home, 0o777);
  const env = { ...process.env, PTH_HOME: join(home, "pth"), DENO_DIR: join(home, "deno"), HOME: home };
  await mkdir(join(home, "deno"));
  await chmod(join(home, "deno"), 0o777);
  const [program, ...rest] = [...as, ...keyring, process.execPath, ...own, enter, socketName, "hold"];
  const child = spawn(program!, rest, { env, cwd: "/" });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => out += chunk);
  child.stderr.on("data", (chunk) => err += chunk);
  const ended = once(child, "exit");
  await Promise.race([eventually(() => Promise.resolve(out.includes("\n")), 120_000), ended]);
  t.match(out, /^\{.*\}\n$/s, err);
  return {
    found: JSON.parse(out) as Found,
    end: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

const mayRun = async (as: readonly string[]): Promise<boolean> =>
  (await runCommand([...as, "test", "-r", file]).catch(() => undefined))?.code === 0 &&
  (await runCommand([...as, "test", "-x", process.execPath])).code === 0 &&
  (as.length === 0 || (await runCommand([...as, "unshare", "--user", "--map-root-user", "true"])).code === 0);

t.test("what a box's root does stays in the box", { skip: perl ? false : "no Perl here" }, async (t) => {
  const listener = spawn("perl", ["-e", listen, socketName]);
  t.teardown(() => listener.kill());
  await once(listener.stdout, "data");
  for (const enter of ["bubblewrap", "util-linux"] as const) {
    for (const as of [[], nobody]) {
      const who = as.length === 0 ? "this user" : "an unprivileged user";
      if (as.length > 0 && (process.getuid?.() !== 0 || !(await mayRun(as)))) {
        t.pass("not checked", { skip: `${who} cannot run it here` });
        continue;
      }
      await t.test(`${enter}, started by ${who}`, async (t) => {
        const { found, end } = await attack(t, enter, as);
        t.same(found.notes, [], "nothing is said to be missing");
        t.equal(found.keyOnHost, "the host's key", "the key can be read");
        t.match(found.keyInside, /^refused/, "but not from inside");
        t.notMatch(found.keyList, /canary|_ses/);
        t.not(found.vsockOnHost, "refused");
        t.equal(found.vsockInside, "refused", "no VM sockets");
        t.equal(found.inetInside, "opened", "other sockets");
        t.match(found.uringInside, /not permitted/);
        t.equal(found.filters, "NoNewPrivs: 1 Seccomp: 2 NoNewPrivs: 1 Seccomp: 2");
        for (const { where, options } of found.mounts) {
          t.ok(options.includes("nosuid") && options.includes("nodev"), `${where}: ${options}`);
        }
        t.notMatch(found.device, /^\s*00/, "a device opens nothing");
        t.not(found.setuid, "0", "a setuid shell raises nobody");
        t.notOk(found.ranOnHost, "a plugin's variables are nothing to the host's programs");
        t.match(found.hostVariables, /^(ERROR.*\n)*-d\n\/no\/such.so\n\/usr\/bin:\/bin:\/.*\/bin/m);
        t.equal(found.decoyTaken, "real");
        t.equal(found.abstractShared, "connected", "the host's network is shared, and said to be");
        t.match(found.abstractNone, /^refused/, "a network of its own has sockets of its own");

        const shells = found.setuidOnHost.filter((path) => path !== "");
        for (const path of shells) await access(path);
        if (process.getuid?.() === 0 && as.length === 0) {
          t.ok(shells.length > 0, "the setuid shell lies on the host's disk");
          for (const path of shells) {
            const used = await runCommand([...nobody, "sh", "-c", '"$0" -p -c "id -u"', path]);
            t.not(used.code, 0, "out of reach of the host's other users");
            t.match(used.stderr, /denied/i);
          }
        }
        await end();
      });
    }
  }
});
