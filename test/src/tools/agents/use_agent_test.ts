import t from "tap";
import { testOf } from "../../testing/observed.ts";
import { checkAnswer } from "../../server/check_answer.ts";

const list = () => [testOf({ prompt: "Do it." }), testOf({ tool: "echo" })];

t.test("an agent is chosen for tests with a prompt", async (t) => {
  const agent = { agent: "command", playbooks: { place: "/b", byTest: {} } };
  const used: unknown[] = [];
  const chosen: unknown[] = [];
  await checkAnswer(t, {
    tool: "pth_use_agent",
    input: { agent: "command", command: "node a.mjs", playbook: "/b" },
    commands: {
      tests: { list },
      agents: {
        choose: (choice) => Promise.resolve(void chosen.push(choice)).then(() => agent),
        use: (agent) => void used.push(agent),
      },
    },
    text: /^command works on tests with a prompt \(1 now\)\. Next: pth_run_test_suite/,
    data: { agent: "command", tests: 1 },
  });
  t.strictSame(chosen, [{ agent: "command", playbook: "/b", command: { line: "node a.mjs", stdin: false } }]);
  t.strictSame(used, [agent]);
});

t.test("without a playbook no agent works on them any more", async (t) => {
  const used: unknown[] = [];
  await checkAnswer(t, {
    tool: "pth_use_agent",
    commands: { tests: { list }, agents: { use: (agent) => void used.push(agent) } },
    text: /^No agent works on tests with a prompt\.$/,
    data: { tests: 1 },
  });
  t.strictSame(used, [undefined]);
});
