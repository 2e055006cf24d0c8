import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import process from "node:process";
import t from "tap";
import { runCommand } from "../../../src/platform/process.ts";
import host from "../../../src/runtimes/host.ts";
import { eventually, processesWith, unique } from "../../contracts/runtime/context.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

t.setTimeout(120_000);
process.env.PTH_HOME = await temporaryFolder(t);
const runtime = host.create();

async function living() {
  const spec = {
    environmentId: `strays-${randomUUID()}`,
    sessionId: `strays-${randomUUID()}`,
    tier: 1 as const,
    env: {},
    resources: { cpus: 1 },
  };
  return { runtime, spec, handle: await runtime.provision(spec) };
}

const detach = (word: string) => `setsid sh -c 'sleep ${word} & sleep ${word}' >/dev/null 2>&1 & exit 0`;

/** Larger than any pid of Linux. */
const deadOwner = "PTH_OWNER=99999999";

t.test("destroy ends processes that left their session and their parent", async (t) => {
  const subject = await living();
  const word = `9${unique()}`;
  await runtime.exec(subject.handle, ["sh", "-c", detach(word)]);
  const probe = await living();
  t.teardown(() => runtime.destroy(probe.handle));
  t.ok(await eventually(async () => (await processesWith(probe, word)) >= 2), "they live");
  await runtime.destroy(subject.handle);
  t.equal(await processesWith(probe, word), 0);
});

t.test("leftovers name processes and folders by session, and remove them", async (t) => {
  const { handle, spec } = await living();
  const word = `9${unique()}`;
  await runtime.exec(handle, ["sh", "-c", `export ${deadOwner}; ${detach(word)}`]);
  const mine = async () => (await host.leftovers()).filter((left) => left.sessionId === spec.sessionId);
  // All of them: a shell that is yet to fork is ended, what it forked since it was seen is not.
  const sleeping = async () =>
    (await runCommand(["pgrep", "-f", `^sleep ${word}`])).stdout.trim().split("\n").length;
  t.ok(await eventually(async () => await sleeping() === 2));
  const left = await mine();
  t.ok(left.some(({ kind }) => kind === "process"));
  const scratch = left.find((each) => each.kind === "scratch")!.name;
  for (const each of left) await each.remove();
  t.ok(await eventually(async () => (await mine()).length === 0), "nothing is left");
  t.notOk(existsSync(scratch));
});

t.test("what tests of a killed run left running is nothing to keep", async (t) => {
  const { handle, spec } = await living();
  t.teardown(() => runtime.destroy(handle));
  await runtime.exec(handle, ["sh", "-c", `export ${deadOwner} PTH_TESTS_a=1; ${detach(`9${unique()}`)}`]);
  const mine = async () => (await host.leftovers()).filter((left) => left.sessionId === spec.sessionId);
  t.ok(await eventually(async () => (await mine()).some(({ kind }) => kind === "process")));
  const left = (await mine()).filter(({ kind }) => kind === "process");
  t.ok(left.every(({ disposable }) => disposable), "no session is behind it");
});

t.test("what a living PTH owns is no leftover, whichever register knows it", async (t) => {
  const subject = await living();
  const { handle, spec } = subject;
  t.teardown(() => runtime.destroy(handle));
  const word = `9${unique()}`;
  await runtime.exec(handle, ["sh", "-c", detach(word)]);
  t.ok(await eventually(async () => (await processesWith(subject, word)) >= 1), "it lives");
  const found = (await host.leftovers()).filter((left) => left.sessionId === spec.sessionId);
  t.same(found.filter((left) => left.kind === "process"), []);
});

t.test("the host runtime says that it isolates and limits nothing", async (t) => {
  const { handle } = await living();
  t.teardown(() => runtime.destroy(handle));
  t.match((await host.probe()).reason, /nothing is isolated/);
  t.equal(runtime.abilities.isolated, false);
  t.same((await runtime.inspect(handle)).limits, [{ name: "cpus", value: 1, enforced: false }]);
});

t.test("what another program of the machine mounts is no drift", async (t) => {
  const { handle } = await living();
  t.teardown(() => runtime.destroy(handle));
  const baseline = await runtime.fingerprint(handle);
  const folder = await temporaryFolder(t);
  const mounted = await runCommand(["mount", "-t", "tmpfs", "none", folder]);
  if (mounted.code !== 0) return void t.pass("not run", { skip: "mount is refused here" });
  t.teardown(() => runCommand(["umount", folder]));
  t.same((await runtime.detectDrift(handle, baseline)).changes, []);
});

t.test("HOME is a scratch folder that goes with the environment", async (t) => {
  const { handle } = await living();
  const home = (await runtime.exec(handle, ["sh", "-c", "echo $HOME"])).stdout.trim();
  t.not(home, process.env.HOME);
  t.ok(existsSync(home));
  await runtime.destroy(handle);
  t.notOk(existsSync(home));
});
