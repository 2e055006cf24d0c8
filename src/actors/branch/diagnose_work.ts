/** Work on the session branch: says why tests failed. */
import { join } from "node:path";
import type { DiagnosisReport, EnvironmentFacts } from "../../../machines/model/diagnosis.ts";
import { diagnose, type DiagnoseInput } from "../../diagnosis/diagnose.ts";
import { isDiagnosed } from "../../diagnosis/load_failure.ts";
import { folderSources } from "../../plugin/plugin_sources.ts";
import { asPthError, errorMessage } from "../../core/errors.ts";
import { readHistory } from "../../git/history.ts";
import { branchGit, branchOf, inPlugin } from "../../git/session_branch.ts";
import { nulSeparated } from "../../git/git.ts";
import { log } from "../../platform/log.ts";
import { changedInside } from "../environment/changed_inside.ts";
import type { SessionResources } from "../session_resources.ts";
import { sessionSources } from "../session/session_sources.ts";
import type { DiagnoseArgs } from "../../../machines/model/branch_work.ts";

const mostChangedFiles = 50;

export async function diagnoseWork(
  live: SessionResources,
  { failures, withLoad }: DiagnoseArgs,
): Promise<DiagnosisReport> {
  const { worktree, subfolder } = live.code.source!;
  const folder = join(worktree, subfolder);
  const loadFailure =
    withLoad && live.plugin.loadFailure !== undefined && isDiagnosed(live.plugin.loadFailure)
      ? { loadFailure: live.plugin.loadFailure }
      : {};
  const own = sessionSources(live);
  const report = await diagnose({
    sources: own?.sources ?? folderSources(folder),
    roots: [...(own?.path === undefined ? [] : [own.path]), folder],
    failures: failures.map(({ test, result }) => {
      const evidence = live.evidence.failures.of(test.id);
      return { test, result, ...(evidence === undefined ? {} : { evidence }) };
    }),
    ...loadFailure,
    environment: await factsOf(live),
    previousFixes: await previousFixes(live),
  });
  return live.secrets.redact.value(report);
}

/** Fixes of the test, or of one of the files, the newest first. */
async function previousFixes(
  { code: { source } }: SessionResources,
): Promise<DiagnoseInput["previousFixes"]> {
  const branch = branchOf(source!);
  const history = branch === undefined ? [] : await readHistory(branch);
  const fixes = history.filter(({ type }) => type === "fix");
  return ({ id, name }, files) =>
    fixes
      .filter((fix) =>
        fix.tests.includes(id) || fix.tests.includes(name) || fix.files.some((file) => files.includes(file))
      )
      .map(({ commit, title, files }) => ({ commit, title, files }));
}

/** The environment may be what is broken: then that is the fact. */
async function factsOf(live: SessionResources): Promise<EnvironmentFacts> {
  const { current: environment } = live.environment;
  const changedFiles = await changedFilesOf(live);
  if (!environment) return { problems: ["There is no environment."], processes: 0, changedFiles };
  try {
    const { problems, processes, diskUsedPercent, memoryUsedPercent, oomKills, failedUnits } = await live
      .environment.checkHealth();
    return {
      problems,
      processes,
      diskUsedPercent,
      memoryUsedPercent,
      oomKills,
      failedServices: failedUnits,
      changedFiles,
    };
  } catch (error) {
    return { problems: [asPthError(error).message], processes: 0, changedFiles };
  }
}

/**
 * Finds what tests, builds and people left in the plugin's folder, on the host and in the environment's copy; a scratch folder has
 * no commit to differ from.
 */
async function changedFilesOf(live: SessionResources): Promise<string[]> {
  const changed = new Set([...await changedOnHost(live), ...await changedInCopy(live)]);
  return [...changed].sort().slice(0, mostChangedFiles);
}

/** Files that differ in the environment's copy; none if it cannot be asked, since that problem is reported separately. */
async function changedInCopy(live: SessionResources): Promise<string[]> {
  try {
    return await changedInside(live);
  } catch (error) {
    log.debug("what changed inside cannot be told", { error: errorMessage(error) });
    return [];
  }
}

async function changedOnHost({ code: { source } }: SessionResources): Promise<string[]> {
  const branch = branchOf(source!);
  if (branch === undefined) return [];
  const { code, stdout } = await branchGit(branch, [
    "status",
    "--porcelain",
    "-z",
    "--no-renames",
    "--untracked-files=all",
    "--ignore-submodules=all",
  ]);
  if (code !== 0) return [];
  return nulSeparated(stdout).map((entry) => inPlugin(branch, entry.slice(3)));
}
