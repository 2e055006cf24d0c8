// test: timeout=500
/**
 * `kill -9` of `pth run` at some moments of its life, in each runtime, then `pth clean`: the machine is as before.
 * The plugin is quick, and its build and its tool leave detached processes. `PTH_TEST_SEED` repeats the moments,
 * `PTH_TEST_MOMENTS` says how many there are.
 */
import process from "node:process";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import t from "tap";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { collect, runCommand, signalProcess } from "../../../src/platform/process.ts";
import { pthCommandLine } from "../../support/bundled_pth.ts";
import { pth, startPth } from "../../support/pth.ts";
import { differences, type Machine, machineOf } from "./machine.ts";
import { makePlace, namesIn, type Place, runPth, story } from "../../support/pth_run.ts";
import { readiness } from "../../support/readiness.ts";

t.setTimeout(500_000);
const moments = Number(process.env.PTH_TEST_MOMENTS ?? 4);
const seed = Number(process.env.PTH_TEST_SEED ?? Date.now() % 1_000_000);
t.comment(`PTH_TEST_SEED=${seed}`);

const server = `
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
const write = (id, answer) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
const unknown = { error: { code: -32601, message: "no such method" } };
const methods = {
  initialize: () => ({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "quick", version: "1.0.0" } }),
  ping: () => ({}),
  "tools/list": () => ({ tools: [{ name: "act", description: "Waits.", inputSchema: { type: "object", properties: {} } }] }),
  "tools/call": async () => {
    spawn("sleep", [process.argv[2]], { detached: true, stdio: "ignore" }).unref();
    await new Promise((done) => setTimeout(done, 300));
    return { content: [{ type: "text", text: "done" }] };
  },
};
createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) write(id, methods[method] ? { result: await methods[method]() } : unknown);
});
`;

/** A repository with a plugin whose detached processes carry a number of their own. */
async function makeRepository(folder: string, word: string): Promise<void> {
  await mkdir(join(folder, "src"), { recursive: true });
  const build =
    `(setsid sleep ${word} >/dev/null 2>&1 &); mkdir -p dist && sleep 0.3 && cp src/server.mjs dist`;
  await writeTextFile(join(folder, "src/server.mjs"), server);
  await writeTextFile(join(folder, ".gitignore"), "dist\nnode_modules\n");
  await writeTextFile(
    join(folder, "package.json"),
    JSON.stringify({
      name: "quick",
      version: "1.0.0",
      scripts: { build, start: `node dist/server.mjs ${word}` },
    }),
  );
  const git = (...args: string[]) =>
    runCommand(["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-C", folder, ...args]);
  for (const args of [["init", "-q"], ["add", "."], ["commit", "-qm", "first"]]) {
    const { code, stderr } = await git(...args);
    if (code !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
  }
}

/** Pseudo-random numbers in [0, 1), the same for the same seed. */
function random(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Starts a run and kills it after a time; answers the last thing it said, and the sessions that it registered. */
async function killedRun(
  place: Place,
  args: string[],
  afterMs: number,
): Promise<{ last: string; sessions: string[] }> {
  const child = await startPth(args, place.env);
  const stdout = collect(child.stdout);
  collect(child.stderr);
  await Promise.race([wait(afterMs), child.ended]);
  signalProcess(child.pid, "SIGKILL");
  await child.ended;
  const sessions = (await namesIn(join(place.env.PTH_HOME, "sessions"))).map((name) =>
    name.replace(".jsonl", "")
  );
  return { last: stdout.text().trim().split("\n").at(-1) ?? "", sessions };
}

const skips = await readiness();
pthCommandLine("cli"); // the bundle is made before anything is timed
// Side by side: each has a place, a repository and sessions of its own.
t.jobs = 3;

for (const [index, env] of (["host", "sandbox", "docker"] as const).entries()) {
  t.test(
    `a run killed in ${env} leaves nothing after clean`,
    { skip: skips[env], buffered: true },
    async (t) => {
      const next = random(seed + index);
      const base = await makePlace(t);
      const temporary = join(base.folder, "tmp");
      await mkdir(temporary);
      const place = { ...base, env: { ...base.env, TMPDIR: temporary } };
      const word = `${700_000 + process.pid % 10_000 * 10 + index}`;
      const repository = join(place.folder, "repository");
      await makeRepository(repository, word);
      const watched = { place, repository, word };
      const args = ["run", repository, "--env", env];

      const before = await machineOf(watched, []);
      const started = performance.now();
      const whole = await runPth(place, args.slice(1));
      t.equal(whole.code, 1, "the detached process is found", { story: story(whole) });
      const wholeMs = performance.now() - started;
      t.same(differences(before, await machineOf(watched, [])), [], "a whole run leaves nothing");

      for (let moment = 0; moment < moments; moment++) {
        const afterMs = Math.round(wholeMs * (moment + next()) / moments);
        const { last, sessions } = await killedRun(place, args, afterMs);
        const left = differences(before, await machineOf(watched, sessions));
        const cleaned = await pth(["clean"], { env: place.env });
        const after = await settled(watched, sessions, before);
        t.equal(cleaned.code, 0, cleaned.stderr);
        t.same(
          differences(before, after),
          [],
          `${afterMs} ms, ${left.length} things left before clean; after: ${last}`,
          { cleaned: cleaned.stdout },
        );
      }
    },
  );
}

/** What was killed needs a moment to vanish from the list of processes. */
async function settled(
  watched: Parameters<typeof machineOf>[0],
  sessions: string[],
  before: Machine,
): Promise<Machine> {
  const end = Date.now() + 20_000;
  for (;;) {
    const machine = await machineOf(watched, sessions);
    if (differences(before, machine).length === 0 || Date.now() > end) return machine;
    await wait(200);
  }
}
