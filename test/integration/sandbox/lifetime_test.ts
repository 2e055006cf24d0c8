import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import t from "tap";
import { isDeno } from "../../../src/platform/host.ts";
import sandbox, { createSandbox } from "../../../src/runtimes/sandbox.ts";
import { childrenOf, commandOf, taggedPids } from "../../../src/platform/proc.ts";
import { eventually, text, unique } from "../../contracts/runtime/context.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

t.setTimeout(180_000);
process.env.PTH_HOME = await temporaryFolder(t);
const specOf = () => ({
  environmentId: `life-${randomUUID()}`,
  sessionId: `life-${randomUUID()}`,
  tier: 1 as const,
  env: {},
  resources: {},
});

const file = fileURLToPath(new URL("./owner_process.ts", import.meta.url));
const arguments_ = isDeno ? ["run", "-A", file] : [...process.execArgv, file];

for (const enter of ["bubblewrap", "util-linux"] as const) {
  t.test(`kill -9 of PTH ends a box made with ${enter}: no process, no mount stays`, async (t) => {
    const { environmentId, sessionId } = specOf();
    const word = `9${unique()}`;
    const owner = spawn(process.execPath, [...arguments_, enter, environmentId, sessionId, word]);
    let said = "";
    owner.stderr.on("data", (chunk) => said += chunk);
    owner.stdout.on("data", (chunk) => said += chunk);
    t.ok(await eventually(() => Promise.resolve(said.includes("living")), 60_000), said);
    t.ok((await taggedPids("PTH_ENVIRONMENT", environmentId)).length >= 3, "it lived");
    owner.kill("SIGKILL");
    await once(owner, "exit");
    const pids = () => taggedPids("PTH_ENVIRONMENT", environmentId);
    t.ok(await eventually(async () => (await pids()).length === 0), "no process");
    t.notMatch(await readFile("/proc/mounts", "utf8"), environmentId, "no mount");

    const left = (await sandbox.leftovers()).filter((each) => each.sessionId === sessionId);
    t.equal(left.length, 1, "its folder is found by its session");
    t.equal(left[0]!.kind, "box");
    await left[0]!.remove();
    t.notOk(existsSync(left[0]!.name));
    t.same((await sandbox.leftovers()).filter((each) => each.sessionId === sessionId), []);
  });
}

t.test("a box that ended by itself is told as lost, and can still be destroyed", async (t) => {
  const runtime = createSandbox();
  const handle = await runtime.provision(specOf());
  const child = await runtime.spawn(handle, ["sleep", "1000"]);
  const init = (handle.state.life as { init: { pid: number } }).init.pid;
  process.kill(init, "SIGKILL");
  await t.rejects(
    runtime.copyIn(handle, "/etc/hostname", "/tmp/copy"),
    { code: "ENVIRONMENT_LOST" },
    "at once",
  );
  t.equal((await child.exited).signal, "SIGKILL");
  await t.rejects(runtime.exec(handle, ["true"]), { code: "ENVIRONMENT_LOST" });
  t.equal((await runtime.inspect(handle)).status, "stopped");
  t.equal((await runtime.healthCheck(handle)).healthy, false);
  await runtime.destroy(handle);
  t.equal((await runtime.inspect(handle)).status, "gone");
});

t.test("a box on its way out is lost, while the end of a command in it has yet to be noted", async (t) => {
  const runtime = createSandbox();
  const handle = await runtime.provision(specOf());
  const child = await runtime.spawn(handle, ["sleep", "1000"]);
  const tagged = await taggedPids("PTH_ENVIRONMENT", handle.environmentId);
  const names = await Promise.all(tagged.map((pid) => readFile(`/proc/${pid}/comm`, "utf8")));
  const children = await Promise.all(
    tagged.map(async (pid) => await commandOf((await childrenOf(pid))[0] ?? 0)),
  );
  const parent = tagged.find((_, at) => names[at] === "nsenter\n" && children[at]![0] !== "pth-agent")!;
  let begun = () => {};
  const begins = new Promise<void>((resolve) => begun = resolve);
  const running = runtime.exec(handle, ["sh", "-c", "echo up; exec sleep 1000"], { onOutput: () => begun() });
  const lost = t.rejects(running, { code: "ENVIRONMENT_LOST" }, "no command that was killed");
  await begins;
  process.kill(parent, "SIGSTOP");
  process.kill((handle.state.life as { init: { pid: number } }).init.pid, "SIGKILL");
  await lost;
  t.equal((await runtime.inspect(handle)).status, "stopped");
  process.kill(parent, "SIGCONT");
  t.equal((await child.exited).signal, "SIGKILL");
  await runtime.destroy(handle);
});

t.test("killing everything inside does not end the box", async (t) => {
  const runtime = createSandbox();
  const handle = await runtime.provision(specOf());
  t.teardown(() => runtime.destroy(handle));
  await runtime.exec(handle, ["sh", "-c", "kill -9 -1; true"]);
  const living = { runtime, handle, spec: specOf() };
  t.equal(await text(t, living, "echo alive"), "alive");
});

t.test("a command that leaves a background process holding its output comes back", async (t) => {
  const runtime = createSandbox();
  const handle = await runtime.provision(specOf());
  t.teardown(() => runtime.destroy(handle));
  const result = await runtime.exec(handle, ["sh", "-c", "sleep 600 & echo started"]);
  t.equal(result.stdout, "started\n");
});

t.test("a disk limit holds", async (t) => {
  const runtime = createSandbox();
  const spec = { ...specOf(), resources: { diskGB: 0.05 } };
  const handle = await runtime.provision(spec);
  t.teardown(() => runtime.destroy(handle));
  t.match((await runtime.inspect(handle)).limits, [{ name: "diskGB", value: 0.05, enforced: true }]);
  const result = await runtime.exec(handle, ["sh", "-c", "head -c 100M /dev/zero >/root/big"]);
  t.match(result.stderr, /No space left/);
  t.match((await runtime.healthCheck(handle)).problems.join(), /disk is \d+/);
});

t.test("a memory limit holds, and its victims are counted", async (t) => {
  const runtime = createSandbox();
  if (!runtime.abilities.limits.memory) {
    return void t.pass("not checked", { skip: "no writable control groups" });
  }
  const handle = await runtime.provision({ ...specOf(), resources: { memoryMB: 64 } });
  t.teardown(() => runtime.destroy(handle));
  const [limit] = (await runtime.inspect(handle)).limits;
  t.same(limit, { name: "memoryMB", value: 64, enforced: true });
  const result = await runtime.exec(handle, ["sh", "-c", "head -c 200M /dev/zero | tail -c 150M | wc -c"]);
  t.not(result.stdout.trim(), String(150 * 1024 * 1024));
  t.match((await runtime.healthCheck(handle)).problems.join(), /killed for lack of memory/);
});

t.test("a box whose data takes all of its memory goes back, and can be used again", async (t) => {
  const runtime = createSandbox();
  const { memory } = runtime.abilities.limits;
  if (!memory) return void t.pass("not checked", { skip: "no writable control groups" });
  const handle = await runtime.provision({ ...specOf(), resources: { diskGB: 0.5, memoryMB: 128 } });
  const snapshot = await runtime.snapshot(handle, "clean");
  await runtime.exec(handle, ["dd", "if=/dev/zero", "of=/var/tmp/full", "bs=1M", "count=300"]);
  t.match(await runtime.healthCheck(handle), { healthy: false });
  const after = await runtime.rollback(handle, snapshot);
  t.equal((await runtime.exec(after, ["ls", "/var/tmp"])).stdout, "");
  t.match(await runtime.healthCheck(after), { healthy: true });
  await runtime.destroy(after);
});
