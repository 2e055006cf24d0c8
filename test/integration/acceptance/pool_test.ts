// test: timeout=120
/** Four servers work side by side: the calls' own reports of pid, start and end prove it. */
import { join } from "node:path";
import t from "tap";
import { writeTextFile } from "../../../src/platform/files.ts";
import { fixture, makePlace, runPth, story } from "../../support/pth_run.ts";

t.setTimeout(120_000);
const calls = 20;
const delayMs = 200;
const workers = 4;

interface Call {
  pid: number;
  start: number;
  end: number;
}

t.test("20 calls of 200 ms on 4 workers overlap, from 4 servers", async (t) => {
  const place = await makePlace(t);
  const tests = join(place.folder, "tests.yaml");
  const names = Array.from({ length: calls }, (_, at) => `call ${at + 1}`);
  // What each call answered reaches the outside by the assertion that it breaks.
  const documents = names.map((name) => `name: ${name}\ntool: act\nexpect: { output_equals: "shown" }\n`);
  await writeTextFile(tests, documents.join("---\n"));
  const command = `node '${fixture("faulty_servers/faulty.mjs")}' --fault slow_calls --delay ${delayMs}`;
  const ran = await runPth(place, [
    ...["--command", command, "--env", "host", "--tests", tests, "--workers", String(workers)],
  ]);
  const seen = ran.report.tests.map(({ message = "" }) => callIn(message));
  t.equal(seen.length, calls);
  const pids = new Set(seen.map(({ pid }) => pid));
  t.equal(pids.size, workers, "each server took part", { story: story(ran) });
  for (const pid of pids) t.ok(seen.filter((call) => call.pid === pid).length >= 2, `${pid} took its share`);
  t.equal(mostAtOnce(seen), workers, "all four at the same time");
  t.equal(ran.report.summary.failed, calls, "the assertion is what failed");
});

function callIn(message: string): Call {
  const value = (key: string) => Number(new RegExp(`\\\\?"${key}\\\\?":(\\d+)`).exec(message)?.[1]);
  return { pid: value("pid"), start: value("start"), end: value("end") };
}

const mostAtOnce = (seen: Call[]): number =>
  Math.max(
    ...seen.map(({ start }) => seen.filter((other) => other.start <= start && start < other.end).length),
  );
