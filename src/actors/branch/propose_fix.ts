/** Work on the session branch: asks a command for a fix, while nobody else touches the worktree. */
import type { FixerRequest } from "../../api/harness.ts";
import { commandFixer } from "../../fixers/command_fixer.ts";
import { ensureBranch } from "./ensure_branch.ts";
import type { SessionResources } from "../session_resources.ts";
import type { Proposal } from "../../../machines/model/fixer.ts";

export async function proposeFix(
  live: SessionResources,
  { command, timeoutSeconds, input }: FixerRequest,
  signal: AbortSignal,
): Promise<Proposal | undefined> {
  const fixer = commandFixer(
    { command, ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }) },
    {
      branch: await ensureBranch(live),
      register: live.register,
      secrets: live.secrets.values,
      onOutput: live.progress.output("fix"),
    },
  );
  return await live.progress.step(
    "fix",
    `asking the fixer: ${input.group.cause}`,
    () => fixer(input, signal),
    (proposal) => proposal?.title ?? "the fixer knows none",
  );
}
