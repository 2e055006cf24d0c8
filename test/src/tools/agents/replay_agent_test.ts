import t from "tap";
import type { ReplayRequest } from "../../../../src/api/agent_commands.ts";
import { checkAnswer } from "../../server/check_answer.ts";
import { sessionResult } from "./session_result.ts";

const drift = [{ subject: "tool find: description", lines: ["- Finds", "+ Seeks"] }];

t.test("a replay is told as a run, and where requests are others than recorded, how", async (t) => {
  const asked: ReplayRequest[] = [];
  const playbook = ".pth/recorded.yaml";
  const commands = (file?: string) => ({
    agents: {
      replay: (request: ReplayRequest) => {
        asked.push(request);
        const kept = file === undefined ? {} : { playbook: { yaml: "", turns: 2, file } };
        return Promise.resolve({ result: { ...sessionResult, drift }, ...kept });
      },
    },
  });
  await checkAnswer(t, {
    tool: "pth_replay_agent",
    input: { playbook, acceptDrift: true },
    commands: commands(),
    text:
      /^claude 2\.1\.330 went as the playbook says: 2 turns played\n.*\nNot as it was recorded:\ntool find: description\n {2}- Finds\n {2}\+ Seeks$/s,
    data: { drift },
  });
  await checkAnswer(t, {
    tool: "pth_replay_agent",
    input: { playbook, update: true, command: "node a.mjs", timeoutSeconds: 5 },
    commands: commands(playbook),
    text: /\nThe requests as they are now were written into \.pth\/recorded\.yaml\.$/,
    data: { file: playbook },
  });
  t.strictSame(asked, [
    { playbook, acceptDrift: true, timeoutMs: 300_000 },
    { playbook, update: true, command: { line: "node a.mjs", stdin: false }, timeoutMs: 5000 },
  ]);
});
