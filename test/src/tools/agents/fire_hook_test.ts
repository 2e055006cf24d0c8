import { join } from "node:path";
import t from "tap";
import type { HookRunRequest, HookRunResult } from "../../../../machines/model/hook_run.ts";
import type { RunReport, SessionInfo } from "../../../../machines/model/session.ts";
import { mkdir, writeTextFile } from "../../../../src/platform/files.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";
import { checkAnswer } from "../../server/check_answer.ts";

t.test("hooks of the event are run in the session's environment, and their decision comes first", async (t) => {
  const worktree = await temporaryFolder(t);
  await mkdir(join(worktree, "sub/hooks"), { recursive: true });
  const hooks = {
    PreToolUse: [
      {
        matcher: "Bash",
        hooks: [{ type: "command", command: "guard.sh" }, { type: "command", command: "slow.sh" }],
      },
      { matcher: "Write", hooks: [{ type: "prompt", prompt: "p" }] },
    ],
    Stoop: [],
  };
  await writeTextFile(join(worktree, "sub/hooks/hooks.json"), JSON.stringify({ hooks }));
  const asked: HookRunRequest[] = [];
  const runHooks = (request: HookRunRequest): Promise<HookRunResult> => {
    asked.push(request);
    const ended = { durationMs: 5, stdout: "", stderr: "" };
    return Promise.resolve({
      payload: request.payload,
      runs: [
        { ...ended, id: request.hooks[0]!.id, timedOut: false, exitCode: 2, stderr: "not that" },
        { ...ended, id: request.hooks[1]!.id, timedOut: true },
      ],
      changes: [{ path: "a.log", change: "added" }],
    });
  };
  await checkAnswer(t, {
    tool: "pth_fire_hook",
    input: { event: "PreToolUse", payload: { tool_input: { command: "rm" } } },
    commands: {
      report: () => ({}) as RunReport,
      info: () => ({ source: { worktree, subfolder: "sub" } }) as unknown as SessionInfo,
      agents: { runHooks },
    },
    text: new RegExp([
      "^PreToolUse: deny, the tool is not called",
      "reason: not that",
      "hooks/hooks.json:1 guard.sh: blocked, exit code 2: not that",
      "hooks/hooks.json:1 slow.sh: timed-out",
      "- fault: It did not end within .*",
      "hooks/hooks.json:1 p: not run, its matcher .Write. does not fit Bash",
      "Changed in its project: a.log added",
      'not loaded: hooks/hooks.json:1:\\d+ there is no event "Stoop" .*$',
    ].join("\n")),
    data: { decision: "deny", reasons: ["not that"], problems: [{ line: 1 }] },
  });
  t.match(asked, [{ event: "PreToolUse", hooks: [{ command: "guard.sh" }, { command: "slow.sh" }] }]);
  t.match(asked[0]!.payload, { tool_name: "Bash", tool_input: { command: "rm" } });
});
