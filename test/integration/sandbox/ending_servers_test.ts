/** How servers are ended, and what counts as left behind: first their process alone is signalled, then what is left. */
import { randomUUID } from "node:crypto";
import process from "node:process";
import t, { type Test } from "tap";
import { endInstance } from "../../../src/actors/connection/end_instance.ts";
import type { LiveEnvironment } from "../../../src/actors/stores/environment_holder.ts";
import { followProcess, groupLeft } from "../../../src/client/server_process.ts";
import host from "../../../src/runtimes/host.ts";
import sandbox from "../../../src/runtimes/sandbox.ts";
import { eventually, processesWith, readBytes, unique } from "../../contracts/runtime/context.ts";
import { readiness } from "../../support/readiness.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

t.setTimeout(120_000);
process.env.PTH_HOME = await temporaryFolder(t);

/** Shell programs that say "up" and do not end with their stdin; `WORD` finds what they start. */
const programs: { what: string; script: string; survivors: RegExp[]; orphans: RegExp[] }[] = [
  {
    what: "a child that nobody ends is left by SIGTERM",
    script: "sleep WORD & echo up; wait",
    survivors: [/^sleep \d+$/],
    orphans: [],
  },
  {
    what: "a server that ends its child on SIGTERM leaves none",
    script: "sleep WORD & trap 'kill $!; wait; exit 0' TERM; echo up; wait",
    survivors: [],
    orphans: [],
  },
  {
    what: "a server behind a launcher ends what it had detached, once it is signalled itself",
    script:
      `sh -c 'setsid sleep WORD & trap "kill $!; wait; exit 0" TERM; echo up; while :; do wait; done' & wait`,
    survivors: [/^sh -c setsid/],
    orphans: [],
  },
  {
    what: "a detached child is an orphan, and no part of the group",
    script: "setsid sleep WORD & echo up; wait",
    survivors: [],
    orphans: [/^sleep \d+$/],
  },
];

async function endServers(t: Test, { create }: Pick<typeof host, "create">, most?: number): Promise<void> {
  const runtime = create();
  const id = `ending-${randomUUID().slice(0, 8)}`;
  const spec = { environmentId: id, sessionId: id, tier: 1 as const, env: {}, resources: {} };
  const living = { runtime, spec, handle: await runtime.provision(spec) };
  t.teardown(() => runtime.destroy(living.handle));
  const environment = { runtime, info: { handle: living.handle } } as LiveEnvironment;
  for (const [at, { what, script, survivors, orphans }] of programs.slice(0, most).entries()) {
    await t.test(what, async (t) => {
      const [word, mark] = [`9${unique()}`, `${id}/${at}`];
      const env = { PTH_INSTANCE: mark };
      const command = ["sh", "-c", script.replace("WORD", word)];
      const child = await runtime.spawn(living.handle, command, { env, cwd: "/" });
      await readBytes(child.stdout, 3);
      t.ok(await eventually(async () => await processesWith(living, `sleep.${word}`) > 0));
      const report = await followProcess(child, true).end(0, "eof");
      t.equal(report.how, "sigterm");
      const left = await endInstance(environment, mark)({ judged: true, ...groupLeft(report, child.pid) });
      t.match(left, { survivors, orphans });
      t.equal(left.survivors.length, survivors.length, JSON.stringify(left));
      t.equal(left.orphans.length, orphans.length, JSON.stringify(left));
      t.ok(await eventually(async () => await processesWith(living, word) === 0), "nothing of it is left");
    });
  }
}

t.test("on the host", (t) => endServers(t, host));
const ready = await readiness();
t.test("in a sandbox", { skip: ready.sandbox }, (t) => endServers(t, sandbox, 1));
