/** The state of git in an agent's project, before its session and after it. */
import type { AgentTrace, ProjectGit } from "../../../machines/model/agent_session.ts";
import { errorMessage } from "../../core/errors.ts";
import { oneLine } from "../../core/text.ts";
import type { LiveEnvironment } from "../stores/environment_holder.ts";

interface GitAnswer {
  /** Absent: the project is no repository, or `problem` tells why it is not known. */
  git?: ProjectGit;
  /** Subjects of the commits that the given one has not, oldest first. */
  commits: string[];
  problem?: string;
}

/** Answer for a folder that is no repository. */
export const noGit: GitAnswer = { commits: [] };

/** Bytes of the answer, entries of each list, and ms: what an agent leaves may be without end. */
const longestAnswer = 1024 * 1024;
const mostEntries = 500;
const limitMs = 10_000;
const longestSubject = 200;

const noRepository = 44;

/**
 * Answers branch, commit, what differs from it, "#", and subjects of new commits, a NUL behind each. The user's settings
 * do not count, nor those of the project by which git would look elsewhere. The commit before may be gone with its
 * repository: then all are new.
 */
const script = `cd "$1" && [ -e .git ] || exit ${noRepository}
g() {
  GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null \\
    git --no-optional-locks --git-dir=.git --work-tree=. -c core.fsmonitor=false -c 'safe.directory=*' "$@"
}
g symbolic-ref -q --short HEAD; printf '\\0'
head=$(g rev-parse -q --verify HEAD); printf '%s\\0' "$head"
g status --porcelain=v1 -z --untracked-files=all --no-renames --ignore-submodules=dirty || exit 1
printf '#\\0'
[ "$#" -lt 2 ] || [ -z "$head" ] && exit 0
new() { g log --reverse --max-count=${mostEntries} -z --format=%s "$1"; }
new "$2" 2>/dev/null || new HEAD`;

/** @param since Commit before the session, empty where there was none; absent: no commits are asked for. */
export async function projectGit(
  { runtime, info }: LiveEnvironment,
  folder: string,
  signal: AbortSignal,
  since?: string,
): Promise<GitAnswer> {
  const range = since === undefined ? [] : [since === "" ? "HEAD" : `${since}..HEAD`];
  const limit = AbortSignal.timeout(limitMs);
  try {
    const { code, stdout, stderr } = await runtime.exec(
      info.handle,
      ["sh", "-c", script, "sh", folder, ...range],
      {
        signal: AbortSignal.any([signal, limit]),
        maxBytes: longestAnswer,
      },
    );
    if (code === noRepository) return noGit;
    if (code !== 0) return unknown(stderr);
    if (stdout.length >= longestAnswer) return unknown("it has more to tell than 1 MiB");
    return answerIn(stdout, since);
  } catch (error) {
    signal.throwIfAborted();
    return unknown(limit.aborted ? `git took more than ${limitMs / 1000} s` : errorMessage(error));
  }
}

const unknown = (why: string): GitAnswer => ({
  commits: [],
  problem: `the state of git in the project is not known: ${oneLine(why, 300)}`,
});

function answerIn(text: string, since: string | undefined): GitAnswer {
  const [branch = "", head = "", ...rest] = text.split("\0");
  const [commit] = /^[0-9a-f]{40,64}$/.exec(head) ?? [];
  const end = rest.indexOf("#");
  const entries = rest.slice(0, end);
  const commits = rest.slice(end + 1).filter((subject, index, all) =>
    index < all.length - 1 || subject !== ""
  )
    .map((subject) => oneLine(subject, longestSubject));
  const isNew = since !== undefined && commits.length > 0;
  const git = {
    ...(branch === "" ? {} : { branch: branch.trimEnd() }),
    ...(commit === undefined ? {} : { commit: isNew ? "<commit>" : commit }),
    modified: entries.slice(0, mostEntries).map(modifiedFile)
      .sort((one, other) => one.path < other.path ? -1 : 1),
  };
  const left = entries.length - mostEntries;
  return {
    git,
    commits,
    ...(left <= 0
      ? {}
      : { problem: `${entries.length} files differ from the commit; ${mostEntries} of them are listed` }),
  };
}

/** Reads `XY path`. */
function modifiedFile(entry: string): AgentTrace["changes"][number] {
  const [state, path] = [entry.slice(0, 2), entry.slice(3)];
  const change = /[?A]/.test(state) ? "added" : state.includes("D") ? "removed" : "changed";
  return { path, change };
}
