/** Writes an agent test from a session that went well: its turns as a playbook, and expectations on what happened in it. */
import { stringify } from "yaml";
import type { AgentTrace, TraceEntry } from "../../machines/model/agent_session.ts";
import { PthError } from "../core/errors.ts";
import { escapePattern, firstLine, oneLine } from "../core/text.ts";
import { isObject } from "../core/values.ts";
import { escapeVariables } from "../testing/format/variables.ts";
import { callInputText } from "./expected_fields.ts";
import { judgeExpectations } from "./judge_expectations.ts";
import { timelineEntries } from "./observed_session.ts";

/** Session that a test is made of. */
export interface TestedSession {
  trace: AgentTrace;
  /** Name of the agent; absent: not known. */
  agent?: string;
  /** Reasons why it failed; none: it went as planned. */
  failures: readonly string[];
}

export interface ProposedTest {
  /** YAML of a test file. */
  text: string;
  /** Observations for people, about what is to be looked at. */
  notes: string[];
}

/** Expectations that are proposed, and characters of a pattern or value in one. */
const most = { expectations: 30, text: 120 };

const shells = /^(?:bash|shell|exec_command|run_shell_command)$/i;
const heading = "# Proposed from a session: leave out what need not be so.\n";

interface Proposal {
  type: string;
  expected: Record<string, unknown>;
}

/**
 * @param playbook Path of a playbook to name in place of turns made from the trace
 * @throws {PthError} `INVALID_INPUT` for a session that failed, or whose turns cannot be played again
 */
export function proposeTest(
  { trace, agent, failures }: TestedSession,
  { id, playbook }: { id: string; playbook?: string },
): ProposedTest {
  const refuse = (state: string) =>
    new PthError("INVALID_INPUT", `Cannot propose a test: ${state}`, {
      next: ["Take a session that went as planned"],
    });
  const [failure] = failures;
  if (failure !== undefined) throw refuse(`the session failed: ${firstLine(failure)}`);
  const [prompt] = timelineEntries({ trace }, "prompt");
  const turns = timelineEntries({ trace }, "turn");
  if (prompt === undefined || turns.length === 0) {
    throw refuse("its trace has no prompt, or no turn of the model");
  }
  const broken = turns.find(({ error, refused }) => error !== undefined || refused !== undefined);
  if (playbook === undefined && broken !== undefined) {
    throw refuse(`a turn is an error, which a trace has in words alone: ${broken.refused ?? broken.error}`);
  }
  const notes: string[] = [];
  const expectations = [...commandProposals(trace), ...holding(trace, proposals(trace))];
  if (expectations.length > most.expectations) {
    notes.push(`${expectations.length - most.expectations} more expectations could be proposed`);
  }
  const test = {
    test_id: id,
    test_name: oneLine(prompt.text, 80),
    execution: {
      ...(agent === undefined || agent === "claude" ? {} : { agent }),
      prompt: prompt.text,
      playbook: playbook ?? playbookOf(trace, notes),
    },
    expectations: expectations.slice(0, most.expectations),
  };
  return { text: `${heading}${stringify(test, { lineWidth: 0, aliasDuplicateObjects: false })}`, notes };
}

/** A proposal that the session itself does not meet is none. */
const holding = (trace: AgentTrace, all: readonly Proposal[]): Proposal[] =>
  all.filter(({ type, expected }) => {
    const planned = { id: "proposed", description: "", type, expected };
    return judgeExpectations([planned], { trace, checks: {} }, []).status === "pass";
  });

/** Proposes that a command is expanded that the agent lists: a trace does not have what the model was sent. */
function commandProposals(trace: AgentTrace): Proposal[] {
  const [prompt] = timelineEntries({ trace }, "prompt");
  const [session] = timelineEntries({ trace }, "session");
  const [, name] = /^\/([\w:.-]+)/.exec(prompt?.text ?? "") ?? [];
  return name !== undefined && session?.commands.includes(name)
    ? [{ type: "command_expanded", expected: { command: `/${name}` } }]
    : [];
}

function proposals(trace: AgentTrace): Proposal[] {
  const calls = timelineEntries({ trace }, "tool_call").map(callProposal);
  const subagents = timelineEntries({ trace }, "subagent").map(({ agent }): Proposal => ({
    type: "subagent_event",
    expected: { event: "SubagentStop", agent_type: agent },
  }));
  const is = { added: "created", changed: "changed", removed: "removed" } as const;
  const files = trace.changes.map(({ path, change }): Proposal => ({
    type: "file",
    expected: { path, is: is[change] },
  }));
  const [end] = timelineEntries({ trace }, "end");
  const said = end?.text?.split("\n").find((line) => line.trim() !== "")?.trim();
  return distinct([
    ...calls,
    ...subagents,
    ...files,
    ...(said === undefined ? [] : [{
      type: "output_contains",
      expected: { pattern: escapePattern(said.slice(0, most.text)) },
    }]),
  ]);
}

const distinct = (all: readonly Proposal[]): Proposal[] => [
  ...new Map(all.map((each) => [JSON.stringify(each), each])).values(),
];

function callProposal(call: Extract<TraceEntry, { type: "tool_call" }>): Proposal {
  const { tool, input, denied, is_error: isError } = call;
  if (denied === true) return { type: "permission_asked", expected: { tool } };
  if (tool === "Skill" && isError !== true && isObject(input) && typeof input.skill === "string") {
    return { type: "skill_used", expected: { skill: input.skill } };
  }
  const failed = isError === undefined ? {} : { is_error: isError };
  if (shells.test(tool)) {
    const pattern = escapePattern(firstLine(callInputText(call)).slice(0, most.text));
    return { type: "tool_call", expected: { tool, pattern, ...failed } };
  }
  const values = Object.entries(isObject(input) ? input : {}).filter(([key, value]) =>
    /^[A-Za-z_]\w*$/.test(key) && ["string", "number", "boolean"].includes(typeof value) &&
    String(value).length <= most.text
  ).map(([key, value]) => [`$.${key}`, value]);
  return {
    type: "tool_call",
    expected: { tool, ...(values.length === 0 ? {} : { input: Object.fromEntries(values) }), ...failed },
  };
}

/** Turns by their lanes; subagents have lanes by their type, in the order in which they were started. */
function playbookOf(trace: AgentTrace, notes: string[]): object {
  const types = timelineEntries({ trace }, "subagent").map(({ lane, agent }) => [lane, agent] as const);
  const lanes = new Map<string, object[]>([["main", []]]);
  for (const { lane, text, thinking, calls } of timelineEntries({ trace }, "turn")) {
    const turn = {
      ...(thinking === undefined ? {} : { thinking: played(thinking) }),
      ...(text === undefined ? {} : { text: played(text) }),
      ...(calls.length === 0
        ? {}
        : { calls: calls.map(({ tool, input }) => ({ tool, input: played(input) })) }),
    };
    lanes.set(lane, [...lanes.get(lane) ?? [], Object.keys(turn).length === 0 ? { text: "…" } : turn]);
  }
  const others = [...lanes].flatMap(([name, turns]) => {
    const of = types.filter(([lane]) => lane === name);
    // Calls that agents make by themselves are answered without a lane.
    if (of.length === 0) return [];
    if (of.length > 1) notes.push(`${of.length} subagents shared the lane ${name}: give each its own turns`);
    return [{ subagent: of[0]![1], turns }];
  });
  const unsure = JSON.stringify([...lanes.values()]).match(/<(?:agent \d+|id|model|folder)>/);
  if (unsure !== null) {
    notes.push(`turns have ${unsure[0]} in place of what is another one each time: bind it`);
  }
  return { turns: lanes.get("main")!, ...(others.length === 0 ? {} : { lanes: others }) };
}

/** Names of folders in a trace, as playbooks have them. */
const folders = [
  ["<project>", "$project"],
  ["<plugin>", "$plugin"],
  ["<folder>/home", "$home"],
  ["<folder>/tmp", "$temporary"],
] as const;

/** The value as a turn has it: dollars are plain, folders are those of the session. */
function played<Value>(value: Value): Value {
  if (typeof value === "string") {
    return folders.reduce(
      (rest, [from, to]) => rest.replaceAll(from, () => to),
      escapeVariables(value),
    ) as Value;
  }
  if (Array.isArray(value)) return value.map(played) as Value;
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, played(each)])) as Value
    : value;
}
