// test: timeout=240
/** PTH's own plugin, installed by the real Claude Code from a marketplace. */
import t from "tap";
import type { InstallCheckResult } from "../../../machines/model/install_check.ts";
import { openCliTurns } from "../../support/cli_turns.ts";
import { makePlace, root } from "../../support/pth_run.ts";
import { withoutClaude } from "./claude_code.ts";

const skip = withoutClaude;
const turns = openCliTurns();
t.teardown(() => turns.close());
const place = await makePlace(t);

async function check(target: string) {
  const { code, stdout, stderr } = await turns.run(
    ["verify-install", target, "--env", "host", "--kind", "claude-plugin", "--no-source", "--json"],
    { env: place.env },
  );
  const { checks = [] } = JSON.parse(stdout || "{}") as { checks?: InstallCheckResult[] };
  return { code, stderr, result: checks[0] };
}

t.test("PTH's own plugin is installed whole", { skip }, async (t) => {
  const { code, result, stderr } = await check(root);
  t.equal(code, 0, `${stderr}${JSON.stringify(result)}`);
  t.match(result, {
    name: "pth",
    faults: [],
    installed: {
      skills: ["fix-plugin", "test-plugin", "write-tests"],
      commands: ["fix", "test", "watch"],
      agents: ["fixer"],
    },
  });
  t.ok(
    result?.installed?.tools.includes("pth_start_session"),
    "its server starts from where it was installed",
  );
  t.notOk(
    result?.notes.some((note) => note.includes("Claude Code is not")),
    "Claude Code itself installed it",
  );
});
