// test: timeout=180
/** The real Claude Code in a container with systemd. */
import { join } from "node:path";
import t from "tap";
import type { AgentSessionResult } from "../../../machines/model/agent_session.ts";
import { writeTextFile } from "../../../src/platform/files.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { pth } from "../../support/pth.ts";
import { makePlace } from "../../support/pth_run.ts";
import { needsSystemd } from "../systemd/systemd_subject.ts";
import { withoutClaude } from "./claude_code.ts";

t.setTimeout(170_000);

t.test(
  "an agent works in a machine with systemd",
  { ...(withoutClaude ? { skip: withoutClaude } : needsSystemd) },
  async (t) => {
    const place = await makePlace(t);
    const plugin = await copyFixture("agent_plugin", place.folder);
    const playbook = join(plugin, "one.yaml");
    const command = "systemctl is-system-running";
    await writeTextFile(
      playbook,
      `turns:
  - calls: [{ tool: Bash, input: { command: ${command}, description: d } }]
  - text: It runs.
    expect: { result: { text: running } }
`,
    );
    const args = ["agent", "run", plugin, "go", "--env", "systemd", "--playbook", playbook, "--json"];
    const { code, stdout, stderr } = await pth(args, { env: place.env });
    t.equal(code, 0, `${stderr}${stdout}`);
    t.match(JSON.parse(stdout || "{}") as AgentSessionResult, { played: 2, failures: [] });
  },
);
