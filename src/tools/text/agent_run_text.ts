/** A prompt-driven test in words for the agent that works on it. */
import type { AgentRun } from "../../api/harness.ts";
import { duration, joinLines } from "./format.ts";

export const agentRunText = ({ runId, description, prompt, checklist, timeoutSeconds }: AgentRun): string =>
  joinLines(
    `needs_agent: run ${runId}, ${duration(timeoutSeconds * 1000)} from now on.`,
    description,
    `Prompt:\n${prompt.trim()}`,
    checklist.length > 0 && `Checklist:\n${checklist.map((item) => `- ${item}`).join("\n")}`,
    `Next: work with the plugin's tools only, pth_call_plugin_tool({ runId: "${runId}", tool, input }); then ` +
      `pth_complete_test_run({ runId: "${runId}", checklist: [{ item, met, evidence }] }).`,
  );
