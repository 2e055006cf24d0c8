/** Request for the fix that broke a test: the test is run at commits, beside the session. */
import { join } from "node:path";
import type { Bisection, FixRecord } from "../../../machines/model/fix.ts";
import type { SessionTarget } from "../../../machines/model/session.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { type ErrorCode, PthError } from "../../core/errors.ts";
import { bisectFixes } from "../../fixes/bisect.ts";
import { branchOf, checkOut, pluginFolder, type SessionBranch } from "../../git/session_branch.ts";
import type { FixCommands, LoadOptions, RequestOptions, Session } from "../../api/harness.ts";
import { writeInside } from "../../platform/write_inside.ts";
import { serializeTests } from "../../testing/format/serialize_tests.ts";
import { lastLoad, type SessionParts } from "../session/session_parts.ts";

/** Each try installs what differs, builds, and starts a server; commits that do not build make more of them necessary. */
const mostTries = 20;

/** The test as it is now, in the copy: in old commits it may be another, or none. */
const testFile = ".pth/bisect.yaml";

/** Commits that only PTH's own files are in. */
const harmless: ReadonlySet<string> = new Set(["docs", "tests", "report", "state-checkpoint"]);

export function bisectCommand(
  context: SessionParts,
  fixes: Pick<FixCommands, "history">,
): Pick<FixCommands, "bisect"> {
  return {
    async bisect({ test: wanted }, asked = {}) {
      const { live } = context;
      const options = {
        ...asked,
        signal: AbortSignal.any([live.tasks.closing.signal, ...asked.signal ? [asked.signal] : []]),
      };
      const test = findTest(context, wanted);
      const config = live.environment.require().info.config;
      const { records } = await fixes.history({}, options);
      const commits = records.filter(({ type }) => !harmless.has(type)).toReversed();
      const branch = branchOf(live.code.source!);
      if (branch === undefined || commits.length === 0) throw nothingToSearch(test);
      const runtime = live.environment.require().runtime.name;
      const open = context.openSideSession;
      if (open === undefined) {
        throw new PthError("UNSUPPORTED", "Cannot bisect: this run opens no session of its own");
      }
      return await live.tasks.track(open(besideOf(context, branch), async (session) => {
        await session.environment.provision({ ...config, runtime }, options);
        const trial = { session, test, load: { ...lastLoad(context) }, options };
        return await search(trial, commits, branch.base);
      }, options));
    },
  };
}

interface Trial {
  /** The side session. */
  session: Session;
  test: TestCase;
  load: LoadOptions;
  options: RequestOptions;
}

type Try = Bisection["tried"][number];

async function search(trial: Trial, commits: readonly FixRecord[], base: string): Promise<Bisection> {
  const { test, options } = trial;
  const titles = new Map(commits.map(({ commit, title }) => [commit, title]));
  const titled = (commit: string) => ({ commit, title: titles.get(commit) ?? "before the first fix" });
  const tried: Try[] = [];
  const expected = Math.ceil(Math.log2(commits.length + 1)) + 2;
  const isGood = async (commit: string) => {
    const { title } = titled(commit);
    const told = { done: tried.length, total: Math.max(expected, tried.length + 1) };
    options.onProgress?.({ phase: "bisect", message: `trying ${commit.slice(0, 10)} ${title}`, ...told });
    const { passed, says } = await tryCommit(trial, commit);
    tried.push({ commit, title, says, ...(passed === undefined ? {} : { passed }) });
    return passed;
  };
  const ids = commits.map(({ commit }) => commit);
  const signal = options.signal === undefined ? {} : { signal: options.signal };
  const found = await bisectFixes(ids, isGood, { base, mostTries, ...signal });
  return {
    test: test.name,
    culprits: commits.filter(({ commit }) => found.culprits.includes(commit)),
    tried,
    passesNow: tried[0]?.passed === true,
    brokenBefore: found.badBefore,
    ...(found.lastGood === undefined ? {} : { lastGood: titled(found.lastGood) }),
    untested: found.untested.map(titled),
  };
}

/** Codes after which no other commit could be tried either. */
const endsSearch: ReadonlySet<ErrorCode> = new Set([
  "NOT_NOW",
  "INTERRUPTED",
  "INTERNAL",
  "NO_SESSION",
  "ENVIRONMENT_LOST",
  "RUNTIME_UNAVAILABLE",
  "DISK_FULL",
]);

/** Runs the test with the plugin as a commit has it. What cannot be loaded is neither good nor bad. */
async function tryCommit(
  { session, test, load, options }: Trial,
  commit: string,
): Promise<Pick<Try, "passed" | "says">> {
  const copy = branchOf(session.info().source)!;
  await checkOut(copy, commit, options.signal);
  const signal = options.signal === undefined ? {} : { signal: options.signal };
  try {
    await session.plugin.load(load, signal);
    await writeInside(pluginFolder(copy), [{ path: testFile, text: serializeTests([test]) }]);
    const [alone] = await session.tests.use(join(pluginFolder(copy), testFile));
    const { status, message = "", note = "" } = await session.tests.run(alone!.id, {}, signal);
    const says = `${status}${message || note ? `: ${(message || note).split("\n", 1)[0]}` : ""}`;
    if (status === "passed" || status === "failed") return { passed: status === "passed", says };
    return { says };
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!(error instanceof PthError) || endsSearch.has(error.code)) throw error;
    return { says: `${test.name} could not run: ${error.message}` };
  }
}

/** The same plugin, taken from the session's worktree. */
function besideOf({ live }: SessionParts, branch: SessionBranch): SessionTarget {
  const { branch: _branch, uncommitted: _uncommitted, ...target } = live.target;
  return {
    ...target,
    target: pluginFolder(branch),
    variables: { ...target.variables, ...live.plugin.variables },
    secrets: Object.fromEntries(live.secrets.values),
  };
}

/** @throws {PthError} `NO_SUCH_TEST` */
function findTest({ tests }: SessionParts, wanted: string): TestCase {
  const test = tests.all.find(({ id }) => id === wanted) ?? tests.all.find(({ name }) => name === wanted);
  if (test) return test;
  throw new PthError(
    "NO_SUCH_TEST",
    `Cannot search for what broke ${wanted}: there is no test of this id or name`,
    {
      next: [{ mcp: "List the tests: pth_list_tests" }],
    },
  );
}

const nothingToSearch = ({ name }: TestCase): PthError =>
  new PthError("NOT_NOW", `Cannot search for what broke ${name}: the session's branch has no fix yet`, {
    next: [{ mcp: "Say why it fails: pth_diagnose_failure" }],
  });
