import t from "tap";
import { checkAnswer } from "../../server/check_answer.ts";

t.test("agents are listed with what they can do, those that are missing with the reason", async (t) => {
  await checkAnswer(t, {
    tool: "pth_list_agents",
    commands: {
      agents: {
        list: () =>
          Promise.resolve([
            {
              name: "claude",
              summary: "Claude Code",
              version: "2.1.330",
              abilities: { loads: ["servers", "hooks"], transcript: true, sideCalls: true },
            },
            {
              name: "other",
              summary: "Another",
              missing: "no other is on PATH",
              abilities: { loads: [], transcript: false, sideCalls: false },
            },
          ]),
        inUse: () => undefined,
      },
    },
    text:
      /^- claude \(Claude Code\): 2\.1\.330; loads servers, hooks\n- other \(Another\): no other is on PATH; loads nothing of a plugin\nNo agent works on tests/,
    data: { agents: [{ name: "claude" }, { missing: "no other is on PATH" }] },
  });
});
