import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import process from "node:process";
import type { Test } from "tap";
import { runCommand } from "../../../src/platform/process.ts";
import {
  freePort,
  listenOnHost,
  type Living,
  readBytes,
  rejectsWith,
  shell,
  skipped,
  type Subject,
  text,
} from "./context.ts";

const perl = (script: string) => ["perl", "-MSocket", "-e", script];
const listenAbstract = perl(
  `socket(my $s, AF_UNIX, SOCK_STREAM, 0); bind($s, pack_sockaddr_un("\\0$ARGV[0]")) or die; listen($s, 9); $| = 1;
  print "up\\n"; accept(my $c, $s) while 1`,
);
const connectAbstract = perl(
  `socket(my $s, AF_UNIX, SOCK_STREAM, 0); print connect($s, pack_sockaddr_un("\\0$ARGV[0]")) ? "reached" : "refused"`,
);
const connectPort = (port: number) => [
  "node",
  "-e",
  `require("net").connect(${port}, "127.0.0.1").on("connect", () => { console.log("reached"); process.exit() })` +
  `.on("error", () => console.log("refused"))`,
];

/** Environments without network, where the runtime has them; else that they are refused. */
export async function networkPart(t: Test, make: () => Subject): Promise<void> {
  const { networks, runtime, spec: given } = make();
  if (networks === undefined) return t.comment("no networks given: not checked");
  const spec = { ...given, network: "none" as const };
  if (!networks.includes("none")) {
    await t.test("an environment without network is refused", async (t) => {
      await rejectsWith(t, runtime.provision(spec), "UNSUPPORTED");
    });
    return;
  }

  await t.test("an environment without network reaches nothing but itself", async (t) => {
    const handle = await runtime.provision(spec);
    const living: Living = { runtime, spec, handle };
    t.teardown(() => runtime.destroy(living.handle));
    const said = async (command: string[]) => (await runtime.exec(living.handle, command)).stdout.trim();

    t.match((await runtime.inspect(handle)).network, /^none/, "it says so");
    t.equal(await interfaces(t, living), "lo", "its loopback is all it has");
    const { port, server } = await listenOnHost();
    t.teardown(() => server.close());
    t.equal(
      (await runCommand(connectPort(port))).stdout.trim(),
      "reached",
      "there is a listener on the host's loopback",
    );
    t.equal(await said(connectPort(port)), "refused");

    if ((await runCommand(["perl", "-v"]).catch(() => undefined))?.code !== 0) skipped(t, "no Perl here");
    else if ((await shell(living, "perl -MSocket -v")).code !== 0) skipped(t, "no Perl inside");
    else {
      const name = `pth-contract-${process.pid}-${randomUUID()}`;
      const [program, ...rest] = [...listenAbstract, name];
      const listener = spawn(program!, rest);
      t.teardown(() => listener.kill());
      await once(listener.stdout, "data");
      t.equal((await runCommand([...connectAbstract, name])).stdout, "reached", "and an abstract socket");
      t.equal(await said([...connectAbstract, name]), "refused");
    }

    const inside = await freePort();
    const serve = async () => {
      const script = `require("http").createServer((_, r) => r.end("from inside"))` +
        `.listen(${inside}, "127.0.0.1", () => console.log("up"))`;
      const child = await runtime.spawn(living.handle, ["node", "-e", script]);
      await readBytes(child.stdout, 2);
    };
    await serve();
    t.equal(await said(connectPort(inside)), "reached", "its own loopback works");
    const fetched = async () => {
      const hostPort = await runtime.forwardPort(living.handle, inside);
      const answer = await fetch(`http://127.0.0.1:${hostPort}/`, { headers: { connection: "close" } });
      return await answer.text();
    };
    t.equal(await fetched(), "from inside", "a forwarded port leads in");

    if (runtime.abilities.snapshots === false) return;
    const snapshot = await runtime.snapshot(handle, "without network");
    living.handle = await runtime.rollback(handle, snapshot);
    t.equal(await interfaces(t, living), "lo", "a rollback gives it no network");
    await serve();
    t.equal(await fetched(), "from inside", "and a forwarded port leads in again");
  });
}

/** Those that are up. */
const interfaces = (t: Test, living: Living) =>
  text(
    t,
    living,
    "awk -F: 'NR > 2 { gsub(/ /, \"\", $1); print $1 }' /proc/net/dev | grep -vE 'tunl|sit|gre|erspan|ip_?vti|ip6' | tr '\\n' ' ' | sed 's/ $//'",
  );
