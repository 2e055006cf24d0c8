/**
 * The trace of a session of Claude Code, from four records: requests that the model received, hooks, transcripts, output.
 *
 * Records come side by side and with times and ids of their own. The trace follows the model's turns: each call stands
 * after its turn, in the order of the calls, and what a subagent did stands in its call. So it is the same for two
 * sessions that went the same way.
 */
import type {
  AgentTrace,
  HookRun,
  ModelExchange,
  TraceEntry,
} from "../../../machines/model/agent_session.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import type { AgentRecords, TracedPlace } from "./agent.ts";
import { traceNormalizer } from "./trace_normalizer.ts";

/** Runs of hooks that are read. */
const mostHooks = 20_000;

type Value = Record<string, unknown>;

export function traceOfClaude(records: AgentRecords, place: TracedPlace): Omit<AgentTrace, "changes"> {
  const warnings: string[] = [];
  const read = (name: string, text: string) =>
    linesOf(text, (count) => warnings.push(unreadable(name, count)));
  const output = read("the output", records.output.join("\n"));
  const files = Object.entries(records.files).sort(([a], [b]) => a < b ? -1 : 1);
  const hooks = files.filter(([path]) => path.startsWith("hooks/")).flatMap(([, text]) =>
    read("a hook's input", text)
  ).slice(0, mostHooks);
  const transcripts = files.filter(([path]) => path.endsWith(".jsonl")).flatMap(([, text]) =>
    read("a transcript", text)
  );
  if (hooks.length === 0) {
    warnings.push("no hook has run: Claude Code may have ended before its session began");
  } else if (transcripts.length === 0) warnings.push("no transcript was found");
  const results = new Map([...resultsIn(output), ...resultsIn(transcripts)]);
  const normalized = (value: unknown) => normalizer(place, hooks)(value);
  const failures = failedHooks(output);
  warnings.push(
    ...failures.map(({ event, message }) => normalized(`a hook for ${event} failed: ${message}`) as string),
  );
  const hooksOf = (test: (hook: Value) => boolean, possible = failures): HookRun[] =>
    hooks.filter(test).map(({ hook_event_name: event }) => hookRun(String(event), possible))
      .sort((a, b) => orderOf(a.event) - orderOf(b.event));
  const ofEvents = (...events: string[]) =>
    hooksOf(({ hook_event_name: event }) => events.includes(String(event)));

  const lanes = laneNames(records.exchanges);
  const agents = agentsByCall(output, transcripts, hooks);
  const tools = new Map<string | undefined, string>();
  const next = new Map<string | undefined, ModelExchange[]>();
  for (const exchange of records.exchanges) {
    next.set(exchange.agent, [...next.get(exchange.agent) ?? [], exchange]);
  }
  const calls = callIds(output, transcripts);

  const conversation = (agent: string | undefined): TraceEntry[] =>
    (next.get(agent) ?? []).flatMap((exchange): TraceEntry[] => {
      const lane = lanes.get(exchange.agent)!;
      const offered = [...exchange.tools].sort();
      const changed = tools.get(agent) !== offered.join("\n");
      tools.set(agent, offered.join("\n"));
      const { tools: _tools, agent: _agent, lane: _lane, ...turn } = exchange;
      return [
        normalized({ type: "turn", lane, ...(changed ? { tools: offered } : {}), ...turn }) as TraceEntry,
        ...exchange.calls.flatMap((call) => calledTool(lane, agent, call)),
      ];
    });

  const last = output.findLast(({ type }) => type === "result");
  const denied = denialsIn(last);
  const isDenied = (id: string | undefined, text = ""): boolean =>
    !blockedByHook.test(text) && denied.some((each) => each.tool_use_id === id);
  /** No record links a failure to its call: the tool is the same, and what blocks has blocked. */
  const failuresFor = (tool: string, text = "") =>
    failures.filter((failure) =>
      (failure.tool === undefined || failure.tool === tool) && (!failure.blocks || blockedByHook.test(text))
    );
  const taken = new Set<string>();
  const numbers = new Map<string, string>();
  function calledTool(
    lane: string,
    agent: string | undefined,
    call: ModelExchange["calls"][number],
  ): TraceEntry[] {
    const id = calls.find((made) => !taken.has(made.id) && made.name === call.tool && made.agent === agent)
      ?.id;
    if (id !== undefined) taken.add(id);
    const result = id === undefined ? undefined : results.get(id);
    const number = `call-${numbers.size + 1}`;
    numbers.set(id ?? number, number);
    const entry: TraceEntry = {
      type: "tool_call",
      lane,
      id: number,
      tool: call.tool,
      input: normalized(call.input),
      ...(result === undefined ? {} : { result: normalized(result.text) as string }),
      is_error: result?.isError ?? false,
      ...(isDenied(id, result?.text) ? { denied: true as const } : {}),
      hooks: id === undefined
        ? []
        : hooksOf(({ tool_use_id }) => tool_use_id === id, failuresFor(call.tool, result?.text)),
    };
    const spawned = id === undefined ? undefined : agents.get(id);
    if (spawned === undefined) return [entry];
    const subagent: TraceEntry = {
      type: "subagent",
      lane: lanes.get(spawned.id) ?? spawned.type,
      id: number,
      agent: spawned.type,
      hooks: hooksOf(({ agent_id, hook_event_name: event }) =>
        agent_id === spawned.id && String(event).startsWith("Subagent")
      ),
    };
    return [entry, subagent, ...conversation(spawned.id)];
  }

  const init = output.find(({ type, subtype }) => type === "system" && subtype === "init");
  const timeline: TraceEntry[] = [
    ...(init === undefined ? [] : [sessionEntry(init)]),
    { type: "prompt", text: place.prompt, hooks: ofEvents("SessionStart", "UserPromptSubmit") },
    ...conversation(undefined),
    // Subagents whose call is in no record.
    ...[...next.keys()].filter((agent) =>
      agent !== undefined && ![...agents.values()].some(({ id }) => id === agent)
    )
      .flatMap(conversation),
    {
      type: "end",
      ...(typeof last?.result === "string" ? { text: normalized(last.result) as string } : {}),
      hooks: ofEvents("Stop", "SessionEnd"),
    },
  ];
  warnings.push(...denied.map(({ tool_name: tool }) => `the permission for ${tool} was denied`));
  return { format: "pth-agent-trace/1", timeline, warnings: [...new Set(warnings)] };
}

const unreadable = (name: string, count: number): string =>
  `${name} has ${count === 1 ? "a line" : `${count} lines`} that cannot be read`;

/** Objects of JSON lines; half-written ones are counted. */
function linesOf(text: string, onBroken: (count: number) => void): Value[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const values = lines.map(jsonIn).filter(isObject);
  if (values.length < lines.length) onBroken(lines.length - values.length);
  return values;
}

const blocksOf = ({ message }: Value): Value[] =>
  isObject(message) && Array.isArray(message.content) ? message.content.filter(isObject) : [];

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : Array.isArray(content)
    ? content.filter(isObject).map(({ text }) => typeof text === "string" ? text : "").join("\n")
    : "";

function resultsIn(lines: readonly Value[]): [string, { text: string; isError: boolean }][] {
  return lines.flatMap(blocksOf).filter(({ type }) => type === "tool_result").map((
    { tool_use_id, content, is_error },
  ) => [String(tool_use_id), { text: textOf(content), isError: is_error === true }]);
}

/** Calls in their order, with the subagent that made them. */
function callIds(output: readonly Value[], transcripts: readonly Value[]) {
  const calls = new Map<string, { id: string; name: string; agent: string | undefined }>();
  for (const line of [...output, ...transcripts]) {
    const agent = line.agent_id ?? line.agentId;
    for (const { type, id, name } of blocksOf(line)) {
      if (type !== "tool_use" || typeof id !== "string" || calls.has(id)) continue;
      calls.set(id, { id, name: String(name), agent: typeof agent === "string" ? agent : undefined });
    }
  }
  return [...calls.values()];
}

/** Subagents by the call that started them. */
function agentsByCall(output: readonly Value[], transcripts: readonly Value[], hooks: readonly Value[]) {
  const types = new Map(
    hooks.filter(({ hook_event_name }) => hook_event_name === "SubagentStart")
      .map(({ agent_id, agent_type }) => [String(agent_id), String(agent_type)]),
  );
  const agents = new Map<string, { id: string; type: string }>();
  for (const { subtype, task_id, tool_use_id, subagent_type } of output) {
    if (subtype !== "task_started" || typeof task_id !== "string") continue;
    agents.set(String(tool_use_id), { id: task_id, type: types.get(task_id) ?? String(subagent_type) });
  }
  for (const { toolUseResult, ...line } of transcripts) {
    if (!isObject(toolUseResult) || typeof toolUseResult.agentId !== "string") continue;
    const id = toolUseResult.agentId;
    const [block] = blocksOf(line).filter(({ type }) => type === "tool_result");
    if (block !== undefined && !agents.has(String(block.tool_use_id))) {
      agents.set(String(block.tool_use_id), { id, type: types.get(id) ?? "" });
    }
  }
  return agents;
}

interface FailedHook {
  event: string;
  /** Tool that the hook was for; absent: for none, or not known. */
  tool?: string;
  /** Whether it has kept a call from running. */
  blocks: boolean;
  message: string;
}

/** Exit code of a hook that blocks. */
const blockingCode = 2;

function failedHooks(output: readonly Value[]): FailedHook[] {
  return output.filter(({ subtype, outcome }) => subtype === "hook_response" && outcome !== "success")
    .map(({ hook_event, hook_name, outcome, exit_code, stderr }) => {
      const event = String(hook_event);
      const [, tool] = /^(?:Pre|Post)ToolUse[^:]*:(.+)$/.exec(String(hook_name ?? "")) ?? [];
      return {
        event,
        ...(tool === undefined ? {} : { tool }),
        blocks: event === "PreToolUse" && exit_code === blockingCode,
        message: `${outcome}, exit code ${exit_code}: ${String(stderr ?? "").trim().slice(0, 500)}`,
      };
    });
}

const hookRun = (event: string, failures: readonly FailedHook[]): HookRun => {
  const failed = failures.find((failure) => failure.event === event)?.message;
  return failed === undefined ? { event } : { event, failed };
};

const order = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
  "PostToolUseFailure",
  "SubagentStart",
  "SubagentStop",
  "Stop",
  "SessionEnd",
];
const orderOf = (event: string): number => (order.indexOf(event) + order.length + 1) % (order.length + 1);

/** Subagents are named by their lanes of the playbook. */
const laneNames = (exchanges: readonly ModelExchange[]): Map<string | undefined, string> => {
  const names = new Map<string | undefined, string>([[undefined, "main"]]);
  for (const { agent, lane } of exchanges) {
    if (lane !== undefined && agent !== undefined) names.set(agent, lane);
    else if (!names.has(agent)) names.set(agent, `subagent ${names.size}`);
  }
  return names;
};

function sessionEntry({ tools, slash_commands, agents, mcp_servers }: Value): TraceEntry {
  const names = (value: unknown) => Array.isArray(value) ? value.map(String).sort() : [];
  const servers = Array.isArray(mcp_servers) ? mcp_servers.filter(isObject) : [];
  return {
    type: "session",
    tools: names(tools),
    commands: names(slash_commands),
    agents: names(agents),
    servers: Object.fromEntries(servers.map(({ name, status }) => [String(name), String(status)])),
  };
}

/** Result of a call that a hook has blocked, for which no permission was asked. */
const blockedByHook = /^PreToolUse:\S* hook error/;

/** Calls whose permission was denied; blocks by hooks are among them. */
const denialsIn = (last: Value | undefined): Value[] =>
  Array.isArray(last?.permission_denials) ? last.permission_denials.filter(isObject) : [];

/** A plugin may write into the records of hooks: what looks like no id of a subagent is none. */
const agentId = /^[\w-]{6,64}$/;
const mostAgents = 200;

/** Values without ids of subagents and durations, which differ from session to session. */
function normalizer(place: TracedPlace, hooks: readonly Value[]) {
  const agents = [
    ...new Set(hooks.flatMap(({ agent_id: id }) => typeof id === "string" && agentId.test(id) ? [id] : [])),
  ].slice(0, mostAgents);
  const slug = (path: string) => path.replaceAll(/[^A-Za-z0-9]/g, "-");
  return traceNormalizer(place, agents.map((id, at) => [id, `<agent ${at + 1}>`]), [
    [slug(place.project), "<project>"],
    [slug(place.folder), "<folder>"],
    [/(duration_ms: ?|total_tokens: ?)\d+/g, "$1<n>"],
  ]);
}
