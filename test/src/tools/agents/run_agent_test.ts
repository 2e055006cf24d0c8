import t from "tap";
import { checkAnswer } from "../../server/check_answer.ts";
import { sessionResult } from "./session_result.ts";

const playbook = { lanes: [{ name: "main", turns: [{ text: "I look." }] }] };
const choose = () => Promise.resolve({ agent: "claude", playbooks: { place: "/p.yaml", each: playbook } });

t.test("a session is told call by call, with the verdict first", async (t) => {
  const asked: unknown[] = [];
  await checkAnswer(t, {
    tool: "pth_run_agent",
    input: { prompt: "go", playbook: "/p.yaml", timeoutSeconds: 5 },
    commands: {
      agents: {
        choose,
        run: (request) => Promise.resolve(void asked.push(request)).then(() => sessionResult),
      },
    },
    text:
      /^claude 2\.1\.330 went as the playbook says: 2 turns played\nsays: I look\.\nfind \{"a":1\} → found\nChanged in its project: a\.txt added$/,
    data: { failures: [], played: 2 },
  });
  t.match(asked, [{ agent: "claude", prompt: "go", playbook, timeoutMs: 5000 }]);
});

t.test("a session that failed is an answer with the reasons, and with detail the whole trace", async (t) => {
  const failures = ["playbook: lane main: turn 3 not played"];
  await checkAnswer(t, {
    tool: "pth_run_agent",
    input: { prompt: "go", playbook: "/p.yaml", detail: true },
    commands: { agents: { choose, run: () => Promise.resolve({ ...sessionResult, failures }) } },
    text:
      /^claude 2\.1\.330 failed: 2 turns played\n- playbook: lane main: turn 3 not played\n\{"format":"pth-agent-trace\/1"/,
    data: { failures },
  });
});
