/** A name that a user wants for the session branch. */
import type { SessionSource } from "../../machines/model/session.ts";
import { PthError } from "../core/errors.ts";
import { git } from "./git.ts";
import type { Repository } from "./repository.ts";

/** Commits of a branch that are told where its name is taken. */
const toldCommits = 10;

/** @throws {PthError} `INVALID_INPUT` for what git takes for no name; `BRANCH_EXISTS` with the branch's latest commits */
export async function checkBranchName({ top }: Repository, branch: string): Promise<void> {
  const form = await git(top, ["check-ref-format", "--branch", branch]);
  if (form.code !== 0 || form.stdout.trim() !== branch) {
    throw new PthError(
      "INVALID_INPUT",
      `Cannot name the session branch "${branch}": git takes it for no name`,
      {
        output: form.stderr,
        next: ["Use letters, digits, - and /, for example pth/my-fixes"],
      },
    );
  }
  const format = ["--no-show-signature", `--max-count=${toldCommits}`, "--format=%h %cI %s"];
  const log = await git(top, ["log", ...format, `refs/heads/${branch}`, "--"]);
  if (log.code !== 0) return;
  const history = log.stdout.trim().split("\n");
  throw new PthError("BRANCH_EXISTS", `Cannot start session: branch ${branch} exists`, {
    branch,
    history,
    next: [{ mcp: `Go on with it: pth_resume_session({ branch: "${branch}" })` }],
  });
}

/** `pth/<plugin>-<date>-<session>`. */
export function sessionBranchName({ name, sessionId }: Pick<SessionSource, "name" | "sessionId">): string {
  const date = new Date().toISOString().slice(0, 10);
  return `pth/${slug(name)}-${date}-${slug(sessionId)}`;
}

/** Part of a branch name: what git, shells and people can all read. */
const slug = (text: string): string =>
  text.toLowerCase().replace(/^@/, "").replaceAll(/[^a-z0-9.]+/g, "-").replaceAll(/\.{2,}|^[-.]+|[-.]+$/g, "")
    .slice(0, 60).replace(/\.lock$/, "") || "plugin";
