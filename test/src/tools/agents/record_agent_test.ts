import t from "tap";
import type { RecordedSession, RecordRequest } from "../../../../src/api/agent_commands.ts";
import { checkAnswer } from "../../server/check_answer.ts";
import { sessionResult } from "./session_result.ts";

const result = {
  ...sessionResult,
  trace: { ...sessionResult.trace, git: { commits: ["Add a"] } },
  spent: { tokens: 120, cost: 0.5 },
};
const input = { prompt: "go", upstream: "https://api.example.com", upstreamKey: "MODEL_KEY" };

/** Commands that answer this session, and what they were asked. */
function recording(playbook?: RecordedSession["playbook"]) {
  const asked: RecordRequest[] = [];
  const record = (request: RecordRequest) => {
    asked.push(request);
    return Promise.resolve({ result, ...(playbook === undefined ? {} : { playbook }) });
  };
  return { asked, commands: { agents: { record } } };
}

t.test("a recording is kept in a file of the plugin, with what it has cost", async (t) => {
  const file = ".pth/recorded.yaml";
  const { asked, commands } = recording({ yaml: "turns: []\n", turns: 2, file });
  await checkAnswer(t, {
    tool: "pth_record_agent",
    input: { ...input, out: file, budgetCost: 2, prices: { input: 3, output: 15 }, timeoutSeconds: 5 },
    commands,
    text:
      /^claude 2\.1\.330 has ended: 2 turns played\n.*\nNew commits: Add a\nSpent: 120 tokens, 0\.5000\nRecorded 2 turns in \.pth\/recorded\.yaml\. Next: pth_replay_agent\(\{ playbook: "\.pth\/recorded\.yaml" \}\)$/s,
    data: { failures: [], played: 2, file, spent: { tokens: 120 }, yaml: undefined },
  });
  t.match(asked, [{ ...input, agent: "claude", out: file, budgetCost: 2, timeoutMs: 5000 }]);
});

t.test("without a file the playbook is answered", async (t) => {
  const { commands } = recording({ yaml: "turns: [{ text: a }]\n", turns: 1 });
  await checkAnswer(t, {
    tool: "pth_record_agent",
    input,
    commands,
    text: /\nRecorded 1 turn:\nturns: \[\{ text: a \}\]$/,
    data: { yaml: "turns: [{ text: a }]\n" },
  });
});

t.test("a playbook that could not be written is answered, with the reason", async (t) => {
  const problem = "Cannot write a.yaml: it is there already";
  await checkAnswer(t, {
    tool: "pth_record_agent",
    input: { ...input, out: "a.yaml" },
    commands: recording({ yaml: "turns: []\n", turns: 1, problem }).commands,
    text: /\nRecorded 1 turn:\nturns: \[\]\nCannot write a\.yaml: it is there already$/,
    data: { yaml: "turns: []\n" },
  });
});

t.test("a model that gave no answer leaves no recording", async (t) => {
  await checkAnswer(t, {
    tool: "pth_record_agent",
    input,
    commands: recording().commands,
    text: /\nNothing was recorded: the model gave no answer\.$/,
    data: { played: 2 },
  });
});
