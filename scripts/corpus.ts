/**
 * `deno task corpus`: runs `pth run` on the published servers of `test/corpus/servers.yaml`, keeps what it shows in
 * `test/corpus/results.json`, and writes docs/corpus.md of it.
 *
 * Nothing here passes or fails: the page says what was exercised, and failures wait there for a person to judge them.
 */
import { isAbsolute, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { runCommand } from "../src/platform/process.ts";
import {
  baselineFile,
  keepCorpusResult,
  readCorpus,
  resultsFile,
  writeCorpusResults,
} from "./corpus/corpus_files.ts";
import { serverFigures, unlistedTools } from "./corpus/corpus_figures.ts";
import { corpusPage } from "./corpus/corpus_page.ts";
import type { PublishedServer, ServerResult } from "./corpus/corpus_schema.ts";
import { testPublishedServer } from "./corpus/test_published_server.ts";

const usage = `Usage: deno task corpus [options]

  --only <text>       servers alone whose package contains it (repeatable)
  --jobs <number>     servers at the same time (default: 1)
  --env <name>        environment (default: sandbox)
  --limit <seconds>   after which a run is interrupted (default: 600)
  --out <file>        results; what it holds of other servers stays (default: ${resultsFile})
  --baseline          first keep the present results as those that new ones are compared with
  --page              only write docs/corpus.md anew`;

const { values: options } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    jobs: { type: "string", default: "1" },
    env: { type: "string", default: "sandbox" },
    limit: { type: "string", default: "600" },
    out: { type: "string", default: resultsFile },
    baseline: { type: "boolean", default: false },
    page: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  console.log(usage);
  Deno.exit(0);
}
const root = join(import.meta.dirname!, "..");
const corpus = await readCorpus(root);
const wanted = corpus.servers.filter(({ package: name }) =>
  options.only.length === 0 || options.only.some((part) => name.includes(part))
);
const jobs = Number(options.jobs);
const limit = Number(options.limit);
if (!Number.isInteger(jobs) || jobs < 1 || !(limit > 0) || wanted.length === 0) {
  console.error(wanted.length === 0 ? `No server's package contains ${options.only.join(" or ")}` : usage);
  Deno.exit(2);
}
if (options.baseline) await writeCorpusResults(join(root, baselineFile), corpus.results);
if (!options.page) await testAll(wanted);
if (options.out === resultsFile) await writePage();

/** Results are kept after each server, so that a run that is interrupted has lost nothing. */
async function testAll(servers: readonly PublishedServer[]): Promise<void> {
  const folder = join(root, ".build/corpus");
  await Deno.mkdir(folder, { recursive: true });
  const run = {
    root,
    folder,
    limit,
    environment: options.env,
    commit: await presentCommit(),
    date: new Date().toISOString().slice(0, 10),
  };
  const out = isAbsolute(options.out) ? options.out : resolve(root, options.out);
  const queue = servers.map((server, at) => ({ server, at }));
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const result = await testPublishedServer(next.server, run);
      await keepCorpusResult(out, next.server.package, result);
      tell(next.server, result, `${next.at + 1}/${servers.length}`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
}

function tell(server: PublishedServer, result: ServerResult, at: string): void {
  const { inside, insideExercised, tools, faults, falseAlarms, unjudged } = serverFigures(
    server,
    result,
    corpus.judgements,
  );
  const failures = `failures: ${faults} faults, ${falseAlarms} false alarms, ${unjudged} not judged`;
  const shown =
    `${insideExercised} of ${inside} tools exercised that need nothing (${tools} in all); ${failures}`;
  console.log(`${at} ${server.package}: ${result.error ?? shown}; ${result.seconds} s`);
  for (const tool of unlistedTools(server, result)) {
    console.log(`  servers.yaml names a tool "${tool}" that it does not list`);
  }
}

async function presentCommit(): Promise<string> {
  const git = async (...words: string[]) =>
    (await runCommand(["git", ...words], { cwd: root })).stdout.trim();
  const changed = await git("status", "--porcelain", "--", "src", "machines");
  return `${await git("rev-parse", "--short=8", "HEAD")}${changed === "" ? "" : " with changes"}`;
}

async function writePage(): Promise<void> {
  const page = join(root, "docs/corpus.md");
  await Deno.writeTextFile(page, corpusPage(await readCorpus(root)));
  await runCommand([Deno.execPath(), "fmt", "--quiet", page], { cwd: root });
  console.log("wrote docs/corpus.md");
}
