/** A session in a few lines. */
import type { SessionInfo } from "../../machines/model/session.ts";
import { lines } from "./words.ts";

export function sessionText({ sessionId, source, superpowers }: SessionInfo): string {
  return lines(
    `Session ${sessionId} started: ${source.name}${source.version ? ` ${source.version}` : ""}`,
    `Source: ${source.source}, copied to ${source.worktree}`,
    source.branch ? `Branch: ${source.branch}` : "Branch: none (a scratch folder)",
    ...source.notes.map((note) => `Note: ${note}`),
    superpowers &&
      `Superpowers${
        superpowers.version ? ` ${superpowers.version}` : ""
      } is installed; for complex changes there are: ${superpowers.skills.join(", ")}`,
    "All session tools are available now.",
    "Next: pth_provision_environment({}), then pth_load_plugin({}).",
  );
}
