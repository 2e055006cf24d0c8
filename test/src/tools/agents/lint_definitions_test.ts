import { join } from "node:path";
import t from "tap";
import type { SessionInfo } from "../../../../machines/model/session.ts";
import { mkdir, writeTextFile } from "../../../../src/platform/files.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";
import { checkAnswer } from "../../server/check_answer.ts";

t.test("findings in the session's source are told with place and what to do", async (t) => {
  const worktree = await temporaryFolder(t);
  await mkdir(join(worktree, "sub/.claude-plugin"), { recursive: true });
  const manifest = { name: "p", version: "1", description: "d" };
  await writeTextFile(join(worktree, "sub/.claude-plugin/plugin.json"), JSON.stringify(manifest));
  await checkAnswer(t, {
    tool: "pth_lint_definitions",
    input: {},
    commands: { info: () => ({ source: { worktree, subfolder: "sub" } }) as unknown as SessionInfo },
    text:
      /^\.claude-plugin\/plugin\.json:1:\d+ warning "1" is no semantic version \[manifest\]\n {4}Write three numbers/,
    data: { errors: 0, warnings: 1, findings: [{ rule: "manifest", line: 1 }] },
  });
});
