/** Reads what earlier runs recorded about the tests of a run, and adds this run. */
import { join } from "node:path";
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { TestResult } from "../../../machines/model/test_result.ts";
import type { SessionResources } from "../../actors/session_resources.ts";
import { errorMessage } from "../../core/errors.ts";
import { type GitView, makeSourceDigest } from "../../session/list_source_files.ts";
import {
  demandDigest,
  openTestHistory,
  type Outcome,
  pastRuns,
  type TestHistory,
} from "../../testing/run/test_history.ts";
import type { Runs } from "../../testing/run/flakiness.ts";

/** The history as one run of the suite sees it. */
export interface RunHistory {
  /** Ids of tests whose latest run knew a failure; undefined where no run is known. */
  lastFailed(): string[] | undefined;
  /** Earlier runs of the same test with the same source. */
  past(test: TestCase): Runs;
  /** Adds a run's results. If the history cannot be written, that is noted and the results stay valid. */
  keep(tests: readonly TestCase[], results: readonly TestResult[], seed?: number): Promise<void>;
}

/** Reads the history once in a session, and looks at the source before each run. */
export function sessionHistory(live: SessionResources): () => Promise<RunHistory> {
  let known: { history: Promise<TestHistory>; digest: () => Promise<string> } | undefined;
  return async () => {
    known ??= { history: openTestHistory(identityOf(live)), digest: digestOf(live) };
    const history = await known.history;
    const source = await known.digest();
    return {
      lastFailed: history.lastFailed,
      past: (test) => pastRuns(history, test.id, source, digestOfTest(test)),
      async keep(tests, results, seed) {
        const byId = new Map(tests.map((test) => [test.id, test]));
        const outcomes = results.flatMap((result) => outcomeOf(byId.get(result.id)!, result) ?? []);
        if (outcomes.length === 0) return;
        const commit = live.code.source?.base;
        try {
          await history.add({
            at: Date.now(),
            source,
            ...(commit === undefined ? {} : { commit }),
            ...(seed === undefined ? {} : { seed }),
            outcomes,
          });
        } catch (error) {
          live.progress.note(`The history of the tests could not be written: ${errorMessage(error)}`);
        }
      },
    };
  };
}

function identityOf({ code: { source }, target, secrets: { redact } }: SessionResources) {
  const { name, folder, source: told } = source!;
  const key = [folder ?? told, target.server ?? ""].join("\0");
  // A bare command is called by its last word, which names a folder.
  return { name: redact.text(name), key, ...(folder === undefined ? {} : { folder }) };
}

/** A package is its version and what fixes made of it; a bare command is always the same. */
function digestOf({ code: { source }, plugin: { plan } }: SessionResources): () => Promise<string> {
  const { worktree, subfolder, gitDir } = source!;
  const view: GitView | undefined = gitDir === undefined ? undefined : { gitDir, workTree: worktree };
  const files = makeSourceDigest(join(worktree, subfolder), view);
  return async () => [plan?.version, await files()].filter(Boolean).join("/");
}

/** A test is the same object in all runs of a session, until it is edited. */
const digests = new WeakMap<TestCase, string>();

function digestOfTest(test: TestCase): string {
  const known = digests.get(test);
  if (known !== undefined) return known;
  // Where the test lies is no part of what it demands.
  const { id: _id, file: _file, line: _line, ...demands } = test;
  const digest = demandDigest(demands);
  digests.set(test, digest);
  return digest;
}

/** Outcome for the history; undefined for a test that did not run. */
function outcomeOf(test: TestCase, { id, status, flakiness }: TestResult): Outcome | undefined {
  if (status === "skipped") return undefined;
  const failed = status === "failed" ? 1 : 0;
  const { attempts: runs, failures } = flakiness ?? { attempts: 1, failures: failed };
  return { id, digest: digestOfTest(test), runs, failures };
}
