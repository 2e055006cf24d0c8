/** Chooses which tests of files run, by their names, tags, parts, and what earlier runs came to. */
import type { SuiteOptions } from "../../../machines/model/suite_options.ts";
import { PthError } from "../../core/errors.ts";
import { count } from "../../core/text.ts";
import { drawSeed, shuffleAndShard } from "./shuffle_and_shard.ts";

export interface ListedTest {
  /** Names that `--grep` looks at; the first one stands in messages. */
  names: readonly [string, ...string[]];
  tags: readonly string[];
  /** Whether it failed when it ran last; undefined: no run of its suite is known. */
  failedLast: boolean | undefined;
}

interface ChosenTests<Test> {
  tests: Test[];
  /** Notes that are needed to repeat the run. */
  notes: string[];
}

/**
 * @param of What has the tests, and where a test is written, for messages
 * @throws {PthError} `NO_TESTS_MATCH`
 */
export function chooseListedTests<Test extends ListedTest>(
  all: readonly Test[],
  suite: SuiteOptions,
  of: { owners: string; hint: string },
): ChosenTests<Test> {
  const { grep, tag, shuffle, shard } = suite;
  const pattern = grep === undefined ? undefined : new RegExp(grep);
  const wanted = all.filter(({ names, tags }) =>
    (tag === undefined || tags.includes(tag)) &&
    (pattern === undefined || names.some((name) => pattern.test(name)))
  );
  if (wanted.length === 0) throw noneMatch(all, suite, of);
  const notes: string[] = [];
  const failed = suite.lastFailed === true ? wanted.filter(({ failedLast }) => failedLast === true) : wanted;
  if (failed.length === 0) {
    const known = all.some(({ failedLast }) => failedLast !== undefined);
    const why = known
      ? "No test failed last time"
      : `No earlier run of these ${of.owners} is known on this machine`;
    notes.push(`${why}: all tests run.`);
  }
  const before = failed.length === 0 ? wanted : failed;
  const seed = suite.seed ?? (shuffle === true ? drawSeed() : 0);
  const tests = shuffleAndShard(before, { ...suite, seed });
  if (shuffle === true) {
    notes.push(`The order of the tests is drawn from seed ${seed}: with it the order comes again.`);
  }
  if (shard !== undefined) {
    notes.push(`Part ${shard.index} of ${shard.of}: ${tests.length} of ${count(before.length, "test")}.`);
  }
  return { tests, notes };
}

function noneMatch(
  tests: readonly ListedTest[],
  { grep, tag }: SuiteOptions,
  { owners, hint }: { owners: string; hint: string },
): PthError {
  const asked = [
    ...(grep === undefined ? [] : [`/${grep}/`]),
    ...(tag === undefined ? [] : [`the tag ${tag}`]),
  ];
  const state = tests.length === 0 ? `the ${owners} have none` : `none fits ${asked.join(" and ")}`;
  const tags = [...new Set(tests.flatMap((test) => test.tags))].sort();
  return new PthError("NO_TESTS_MATCH", `Cannot run tests: ${state}`, {
    next: [
      ...(tests.length === 0 ? [hint] : []),
      ...(tag === undefined || tags.length === 0 ? [] : [`Tags that exist: ${tags.join(", ")}`]),
      ...(grep === undefined
        ? []
        : [`Tests that exist: ${tests.slice(0, 20).map(({ names }) => names[0]).join(", ")}`]),
    ],
  });
}
