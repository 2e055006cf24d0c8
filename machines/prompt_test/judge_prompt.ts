/** Prompt of the session that judges a checklist: what was asked, what was done, what commands showed. */
import type { AgentSessionResult, TraceEntry } from "../model/agent_session.ts";
import type { PromptWork } from "../model/prompt_work.ts";
import type { TestCase } from "../model/test_case.ts";

/** Characters of one text, and of what was done in all. */
const longestText = 1000;
const longestAccount = 40_000;

export function judgePrompt({ prompt = "", checklist = [] }: TestCase, work: PromptWork): string {
  return [
    `An agent was asked:\n${prompt.trim()}`,
    `This is what it did:\n${accountOf(work)}`,
    `Judge each item of this checklist by what was done; where that does not show it, look for yourself, and change nothing:\n${
      checklist.map((item) => `- ${item}`).join("\n")
    }`,
    'Answer with JSON alone: {"checklist":[{"item":"…","met":true,"evidence":"…"}]}. Each item is there once, in the words of ' +
    "the list. Its evidence is what a tool or a command answered; without evidence it is not met.",
  ].join("\n\n");
}

function accountOf({ session, commands }: PromptWork): string {
  const lines = [
    ...(session?.trace.timeline.flatMap(entryLines) ?? []),
    ...changesOf(session),
    ...commands.map(({ command, result: { code, stdout, stderr } }) =>
      `- the command ${cut(command.exec)} ended with ${code ?? "a signal"}: ${cut(`${stdout}${stderr}`)}`
    ),
  ];
  const account = lines.join("\n");
  return account.length <= longestAccount ? account : `…${account.slice(-longestAccount)}`;
}

function entryLines(entry: TraceEntry): string[] {
  if (entry.type === "turn") return entry.text === undefined ? [] : [`- it said: ${cut(entry.text)}`];
  if (entry.type !== "tool_call") return [];
  const { tool, input, result = "no result", is_error: isError } = entry;
  return [`- ${tool} ${cut(JSON.stringify(input) ?? "")} ${isError ? "failed" : "answered"}: ${cut(result)}`];
}

const changesOf = (session: AgentSessionResult | undefined): string[] =>
  (session?.trace.changes ?? []).map(({ path, change }) => `- file ${change}: ${cut(path)}`);

const cut = (text: string): string => text.length <= longestText ? text : `${text.slice(0, longestText)}…`;
