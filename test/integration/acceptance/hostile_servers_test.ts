// test: timeout=600
/**
 * Servers that mean harm, each with its verdict: none holds PTH up, fills its memory, or keeps it from ending.
 * `PTH_TEST_ONLY=a,b` runs only these; `PTH_TEST_SEED` repeats the moments of the signals.
 */
import { join } from "node:path";
import process from "node:process";
import t, { type Test } from "tap";
import { cpuCount } from "../../../src/platform/host.ts";
import { type CliTurns, openCliTurns } from "../../support/cli_turns.ts";
import { type HostileCase, hostileCases } from "./hostile_cases.ts";
import { peakMegabytes } from "./peak_memory.ts";
import { fixture, makePlace, type Place } from "../../support/pth_run.ts";
import { makeTempDir, removeIfExists, writeTextFile } from "../../../src/platform/files.ts";

t.setTimeout(600_000);
const only = process.env.PTH_TEST_ONLY?.split(",");
const seed = Number(process.env.PTH_TEST_SEED ?? Date.now() % 1_000_000);
t.comment(`PTH_TEST_SEED=${seed}`);

/** Limit of one run, in seconds; those that wait for PTH's own limit of a start take a minute. */
const usualLimit = 120;
const waitingLimit = 180;
/** What PTH may need at its peak, whatever a server sends. */
const mostMegabytes = 1_000;
/** A signal is answered in 2 s; a busy machine gets as much again. */
const answerMs = 4_000;
const forced = "it is ended by force";

interface Ran {
  code: number | null;
  signal: string | null;
  said: string;
  seconds: number;
  megabytes: number;
  /** From the signal to the first word on it, or to the end. */
  answeredMs: number;
}

/** One call of the tool, where the checks of the whole server have nothing to add. */
const oneCall = "name: act\ntool: act\ngenerated_from: schema\nexpect: { well_behaved: true }\n";

/** @param interruptAfterMs from the first moment at which it has something to interrupt */
async function run(
  place: Place,
  turns: CliTurns,
  { behaviour, args = [], calls = false, waits = false }: HostileCase,
  interruptAfterMs?: number,
): Promise<Ran> {
  // Each has a state of its own: they run side by side.
  const home = await makeTempDir({ prefix: "pth-hostile-", dir: place.folder });
  const tests = join(home, "act.yaml");
  await writeTextFile(tests, oneCall);
  const server = `node '${fixture("hostile_server/hostile.mjs")}' ${behaviour}`;
  const words = ["--env", "host", "--timeout", "2", "--command", server, ...args];
  const command = ["run", ...words, ...calls ? ["--tests", tests] : []];
  const env = { ...place.env, PTH_HOME: home, PTH_WORKTREE_DIR: join(home, "worktrees") };
  const started = performance.now();
  let said = "";
  let signalledAt: number | undefined;
  let answeredMs = 0;
  const child = await turns.start(command, env, (text) => {
    said += text;
    if (signalledAt !== undefined && answeredMs === 0 && /Interrupted|by force/.test(said)) {
      answeredMs = performance.now() - signalledAt;
    }
  });
  const memory = peakMegabytes(child.pid);
  const limit = setTimeout(() => child.kill("SIGKILL"), (waits ? waitingLimit : usualLimit) * 1000);
  const interrupt = interruptAfterMs === undefined ? undefined : setTimeout(() => {
    signalledAt = performance.now();
    child.kill("SIGINT");
  }, interruptAfterMs);
  const { code, signal } = await child.ended;
  clearTimeout(limit);
  clearTimeout(interrupt);
  if (signalledAt !== undefined && answeredMs === 0) answeredMs = performance.now() - signalledAt;
  const megabytes = memory.stop();
  await removeIfExists(home);
  return { code, signal, said, seconds: (performance.now() - started) / 1000, megabytes, answeredMs };
}

function judge(t: Test, { code, says, never = [] }: HostileCase, ran: Ran): void {
  t.equal(ran.code, code, `it ends with ${code} (${ran.signal ?? "no signal"})`, {
    said: ran.said.slice(-3_000),
  });
  for (const words of says) t.match(ran.said, words);
  for (const words of never) t.notMatch(ran.said, words);
  t.notMatch(ran.said, "Unexpected error");
  t.notMatch(ran.said, forced);
  t.ok(ran.said.length < 60_000, `it says no more than a person reads: ${ran.said.length} characters`);
  t.ok(ran.megabytes < mostMegabytes, `${ran.megabytes} MB at its peak`);
  // deno-lint-ignore no-control-regex -- what a terminal would obey
  t.notMatch(ran.said, /[\u0007\u001b\u202a-\u202e\u2066-\u2069]/, "nothing that a terminal would obey");
}

/** What each took in seconds, for the moments of signals. */
const took = new Map<string, number>();

t.test("each hostile server has its verdict, in its time and within bounds of memory", async (t) => {
  const place = await makePlace(t);
  const cases = hostileCases.filter(({ behaviour }) => only?.includes(behaviour) ?? true);
  if (only === undefined) t.ok(cases.length >= 60, `${cases.length} servers`);
  const check = (each: HostileCase, turns: CliTurns) =>
    t.test(each.behaviour, { jobs: 1 }, async (t) => {
      const ran = await run(place, turns, each);
      took.set(each.behaviour, ran.seconds);
      t.comment(`${each.behaviour}: ${ran.seconds.toFixed(1)} s, ${ran.megabytes} MB`);
      judge(t, each, ran);
    });
  t.jobs = cases.length;
  // Those that wait take no time of the processor, and a process each; the others share one more than there are processors.
  const waiting = cases.filter(({ waits }) => waits).map((each) => [each]);
  const queue = cases.filter(({ waits }) => !waits);
  const workers = Array.from({ length: cpuCount() + 1 }, () => queue);
  await Promise.all([...waiting, ...workers].map(async (mine) => {
    const turns = openCliTurns();
    for (let next = mine.shift(); next; next = mine.shift()) await check(next, turns);
    turns.close();
  }));
});

/** Those that keep PTH busiest: with schemas, messages, lists and streams. */
const busy = [
  "pattern_runs_away",
  "lists_of_lists",
  "tools_run_away",
  "tools_5000",
  "output_pattern",
  "answer_long",
  "answer_deep",
  "pages_large",
  "floods_stdout",
  "floods_progress",
  "error_long",
  "blocks_on_call",
];

t.test("SIGINT is answered within 2 s whatever a server does to PTH", async (t) => {
  const place = await makePlace(t);
  let state = seed;
  const queue = busy.filter((each) => only?.includes(each) ?? true).map((behaviour) => {
    state = (state * 48_271 + 11) % 2_147_483_647;
    return { behaviour, afterMs: Math.round((took.get(behaviour) ?? 5) * (100 + state % 800)) };
  });
  const work = async () => {
    const turns = openCliTurns();
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { behaviour, afterMs } = next;
      const each = hostileCases.find((one) => one.behaviour === behaviour)!;
      const ran = await run(place, turns, each, afterMs);
      const how = `${behaviour}, after ${afterMs} ms: ${Math.round(ran.answeredMs)} ms`;
      t.comment(how);
      t.ok(ran.answeredMs < answerMs, how);
      // One that was done before, or had not begun to listen, has nothing to answer.
      const done = / skipped in \d|^The run ended before its tests did/m.test(ran.said);
      const ended = done || ran.code === 130 || ran.signal === "SIGINT" || ran.said.includes(forced);
      t.ok(ended || ran.answeredMs === 0, `${how}: ${ran.code} ${ran.signal}`, {
        said: ran.said.slice(-1_000),
      });
    }
    turns.close();
  };
  await Promise.all(Array.from({ length: cpuCount() }, work));
});
