/** Collects the facts of an interrupted session from its branch; nothing is changed. */
import { join, posix } from "node:path";
import * as z from "zod";
import type { FixRecord } from "../../../machines/model/fix.ts";
import type { SessionTarget } from "../../../machines/model/session.ts";
import { PthError } from "../../core/errors.ts";
import { lastSavedIteration, readHistory } from "../../git/history.ts";
import { pathExists } from "../../platform/files.ts";
import { git } from "../../git/git.ts";
import { parseSessionState } from "../session_state.ts";
import { findBranch, type FoundBranch, sessionBase } from "./find_branch.ts";
import type { SessionState } from "../../../machines/model/session_state.ts";
import { stateFile } from "../../git/session_branch.ts";

export interface FoundSession extends Omit<FoundBranch, "subfolder"> {
  base: string;
  /** The plugin's folder within the repository, "" for the top. */
  subfolder: string;
  /** The plugin's folder of the author, where the session's lock is; absent where there is none. */
  folder?: string;
  /** State that the branch saved, or that its commits show. */
  state: SessionState;
  target: SessionTarget;
  /** The newest first. */
  history: FixRecord[];
  /** Differences from the state before, in sentences. */
  degraded: string[];
}

/** @throws {PthError} `INVALID_INPUT` for what is no session branch, `TARGET_NOT_FOUND` for a plugin that is not there */
export async function findSession(
  asked: { branch: string; pluginPath?: string },
): Promise<FoundSession> {
  const found = await findBranch(asked.branch, asked.pluginPath);
  const { branch, repository, own } = found;
  const subfolder = own ? "" : await pluginSubfolder(found);
  const read = await savedState(found, subfolder);
  const saved = "state" in read ? read.state : undefined;
  const { base, guessed } = await sessionBase(found, saved?.base);
  const on = {
    sessionId: saved?.sessionId ?? "resume",
    branch,
    base,
    worktree: repository.top,
    gitDir: repository.gitDir,
    subfolder,
  };
  const history = await readHistory(on);
  if (!saved && !/^pth[-/]/.test(branch) && history.every(({ type }) => type === "other")) {
    throw noSession(branch);
  }
  const degraded = "state" in read ? [] : [lost(read.problem, history)];
  if (guessed) {
    degraded.push(`Where the branch began is not known any more: ${base.slice(0, 10)} is taken for it.`);
  }
  // Fixes beyond what was saved are of an iteration that was cut short: that one goes on.
  const cutShort = history.map((fix) => (fix.iteration ?? 1) - 1);
  const iteration = Math.max(saved?.iteration ?? await lastSavedIteration(on), ...cutShort);
  const state = { ...saved ?? nothingSaved(branch, base), iteration };
  const folder = await authorsFolder(found, subfolder);
  const target = await restoredTarget(found, state, folder, degraded);
  return {
    ...found,
    base,
    subfolder,
    state,
    target,
    history,
    degraded,
    ...(folder === undefined ? {} : { folder }),
  };
}

/** Subfolder of the plugin on the branch: where its state was saved, else the named one, else the caller's. */
async function pluginSubfolder(found: FoundBranch): Promise<string> {
  const { branch, repository: { top }, subfolder, named, sessions } = found;
  const holds = async (folder: string) =>
    folder === "" || (await git(top, ["cat-file", "-e", `refs/heads/${branch}:${folder}`])).code === 0;
  const saved = await savedFolder(found);
  if (named !== undefined && await holds(subfolder!)) {
    if (saved === undefined || saved === subfolder) return subfolder!;
    if (subfolder === "" || saved.startsWith(`${subfolder}/`)) return saved;
    throw otherPlugin(branch, named, saved);
  }
  const locked = sessions.flatMap(({ entries }) => entries).find(({ kind }) => kind === "lock")?.name;
  const within = locked?.startsWith(join(top, "/")) ? locked.slice(top.length + 1) : undefined;
  for (const folder of [saved, within, named === undefined ? subfolder : undefined]) {
    if (folder !== undefined && await holds(folder)) return folder;
  }
  if (named === undefined) return "";
  throw new PthError("INVALID_INPUT", `Cannot resume ${branch}: it has no folder ${subfolder}`, {
    tried: [named],
    next: ["Name the folder by which the branch has the plugin: pluginPath"],
  });
}

/** The folder of the branch in which this very session was saved. */
async function savedFolder({ repository: { top }, branch }: FoundBranch): Promise<string | undefined> {
  const list = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", `refs/heads/${branch}`];
  const paths = (await git(top, list)).stdout.split("\0")
    .filter((path) => path === stateFile || path.endsWith(`/${stateFile}`));
  for (const folder of paths.map(folderOf)) {
    if ("state" in await savedState({ repository: { top }, branch }, folder)) return folder;
  }
  return undefined;
}

const otherPlugin = (branch: string, named: string, saved: string): PthError =>
  new PthError(
    "INVALID_INPUT",
    `Cannot resume ${branch} on ${named}: its session is on the plugin in ${saved || "the top"}`,
    {
      next: ["Leave pluginPath out, or name that plugin's folder"],
    },
  );

const folderOf = (path: string): string => path === stateFile ? "" : path.slice(0, -stateFile.length - 1);

async function savedState(
  { repository, branch }: { repository: { top: string }; branch: string },
  subfolder: string,
): Promise<{ state: SessionState } | { problem: string }> {
  const path = posix.join(subfolder, stateFile);
  const { code, stdout } = await git(repository.top, ["cat-file", "blob", `refs/heads/${branch}:${path}`]);
  if (code !== 0) return { problem: `the branch has no ${path}` };
  const read = parseSessionState(stdout);
  if ("problem" in read) return { problem: `${path} cannot be read: ${read.problem}` };
  // A branch that began after a merge inherits the file.
  if (read.state.branch !== branch) {
    return { problem: `${path} is that of another session, ${read.state.branch}` };
  }
  return read;
}

function lost(problem: string, history: FixRecord[]): string {
  const fixes = history.filter(({ type }) => type === "fix").length;
  const known = history.length === 0 ? "it has no commit yet" : `its commits tell of ${fixes} fixes`;
  return `The state of the session is lost, with its results, trend, environment and start options (${problem}); ${known}.`;
}

const nothingSaved = (branch: string, base: string): SessionState => ({
  version: 1,
  sessionId: "",
  branch,
  base,
  savedAt: "",
  plugin: { name: "" },
  target: {},
  withheld: [],
  leftOut: [],
  iteration: 0,
  trend: "untested",
  tests: {},
  causes: [],
  records: [],
  timings: {},
});

const noSession = (branch: string): PthError =>
  new PthError("INVALID_INPUT", `Cannot resume ${branch}: none of its commits was made by a PTH session`, {
    next: [{ mcp: "Start a session, on a branch of its own: pth_start_session({ pluginPath })" }],
  });

/** Current folder of the plugin in the author's checkout; the named folder may be one above it. */
async function authorsFolder(
  { named, own, repository, sessions, subfolder: asked }: FoundBranch,
  subfolder: string,
): Promise<string | undefined> {
  const locked = sessions.flatMap(({ entries }) => entries).find(({ kind }) => kind === "lock")?.name;
  const within = own || repository.bare ? undefined : join(repository.top, subfolder);
  const inside = asked !== undefined && asked !== subfolder ? within : undefined;
  for (const folder of [inside, named, locked, within]) {
    if (folder !== undefined && await pathExists(folder)) return folder;
  }
  return undefined;
}

const savedTarget = z.object({
  target: z.string().startsWith("npm:").exactOptional(),
  command: z.array(z.string()).min(1).exactOptional(),
  args: z.array(z.string()).exactOptional(),
  server: z.string().exactOptional(),
  build: z.string().exactOptional(),
  install: z.string().exactOptional(),
  url: z.string().exactOptional(),
  variables: z.record(z.string(), z.string()).exactOptional(),
});

/** Options that the session was started with. */
async function restoredTarget(
  found: FoundBranch,
  { target: saved }: SessionState,
  folder: string | undefined,
  degraded: string[],
): Promise<SessionTarget> {
  const read = savedTarget.safeParse(saved);
  if (!read.success) degraded.push("What the session was started with cannot be read, and is left out.");
  const { target, ...rest } = read.success ? read.data : {};
  const named = target ?? folder ?? (found.own ? await packageOf(found) : found.repository.top);
  return { ...rest, ...(named === undefined ? {} : { target: named }) };
}

/** Package of a session on an npm package, read from its scratch folder's package.json. */
async function packageOf({ repository, branch }: FoundBranch): Promise<string | undefined> {
  const { stdout } = await git(repository.top, ["cat-file", "blob", `refs/heads/${branch}:package.json`]);
  const scratch = /"name":\s*"pth-scratch"[^]*"dependencies":\s*\{\s*"([^"]+)":\s*"([^"]+)"/.exec(stdout);
  return scratch ? `npm:${scratch[1]}@${scratch[2]}` : undefined;
}
