/** Capabilities that `initialize` advertises are there, and lists that are there are advertised (MCP, "Lifecycle"). */
import type { CallOutcome } from "../../../machines/model/plugin.ts";
import type { Finding } from "../../../machines/model/verdict.ts";
import { modernRevision } from "../../client/initialize_connection.ts";
import { count, oneLine, textExcerpt } from "../../core/text.ts";
import { isObject } from "../../core/values.ts";
import { type CheckContext, checkFailed, checkPassed, defineCheck } from "../check.ts";
import { skippingVerdict } from "../judge/failing_verdict.ts";
import { askOrPing, listItems, methodNotFound, type ServerList, serverLists } from "../server_lists.ts";

interface Seen {
  /** Violations that fail the check. */
  problems: string[];
  /** Requests that the server knows, and refused or did not answer in time. */
  refused: string[];
  findings: Finding[];
  /** Items of each list that answered, by method. */
  lists: Map<string, unknown[]>;
}

export default defineCheck({
  name: "capabilities_answer",
  summary: "answers what its capabilities advertise, and advertises what it answers",
  category: "protocol-error",
  onlyAsks: true,
  async run(context) {
    const seen: Seen = { problems: [], refused: [], findings: [], lists: new Map() };
    // Tools have a check of their own.
    const others = serverLists.filter(({ capability }) => capability !== "tools");
    const isAdvertised = ({ capability }: ServerList) => advertises(context, capability);
    for (const list of others.filter(isAdvertised)) await lookAtAdvertised(context, list, seen);
    const hidden = others.filter((list) => !isAdvertised(list) && !list.optional);
    // Side by side: a server that is silent at what it does not know takes the time of one.
    const found = await Promise.all(hidden.map((list) => unadvertised(context, list)));
    seen.findings.push(...found.flat());
    if (advertises(context, "completions")) await lookAtCompletion(context, seen);
    // 2026-07-28 has other ways for both.
    if (context.server.protocolVersion !== modernRevision) {
      if (advertises(context, "logging")) await lookAtLogging(context, seen);
      await lookAtSubscribing(context, seen);
    }
    const { problems, refused, findings } = seen;
    if (problems.length > 0) return checkFailed(this.category, problems.join("\n  "), problems, findings);
    if (refused.length > 0) return { ...skippingVerdict(`refused: ${refused.join("; ")}`), findings };
    const looked = ["resources", "prompts", "completions", "logging"].filter((name) =>
      advertises(context, name)
    );
    return checkPassed(looked.length === 0 ? "it advertises nothing but tools" : looked.join(", "), findings);
  },
});

const advertises = ({ server }: CheckContext, capability: string): boolean =>
  isObject(server.capabilities[capability]);

/** The result of a request for something advertised; what else came is noted. */
async function resultOf(
  context: CheckContext,
  { problems, refused }: Seen,
  capability: string,
  method: string,
  params?: Record<string, unknown>,
): Promise<unknown> {
  const outcome = await askOrPing(context, method, params);
  if (outcome === undefined) refused.push(`${method}: no answer in time`);
  else if (outcome.violations[0] !== undefined) problems.push(`${method}: ${outcome.violations[0].message}`);
  else if (outcome.code === methodNotFound) problems.push(missing(capability, method, outcome));
  else if (outcome.kind === "rpc_error") refused.push(`${method}: ${oneLine(outcome.text)}`);
  else return outcome.raw;
  return undefined;
}

const missing = (capability: string, method: string, { text }: CallOutcome): string =>
  `${capability} is advertised, and ${method} is answered with ${methodNotFound} (${oneLine(text, 80)}): ` +
  "answer it, or do not advertise it";

async function lookAtAdvertised(context: CheckContext, list: ServerList, seen: Seen): Promise<void> {
  const { method, capability, items: member, texts } = list;
  if (list.optional && (await askOrPing(context, method))?.code === methodNotFound) {
    seen.findings.push({
      severity: "info",
      code: "capability-not-answered",
      message:
        `${capability} is advertised, and ${method} is unknown: clients that ask for both lists get an error`,
    });
    return;
  }
  const result = await resultOf(context, seen, capability, method);
  if (result === undefined) return;
  const items = listItems(list, result);
  if (items === undefined) {
    seen.problems.push(`${method}: "${member}" is not an array: ${textExcerpt(result, 120)}`);
    return;
  }
  seen.lists.set(method, items);
  for (const text of texts) {
    const at = items.findIndex((item) => !isObject(item) || typeof item[text] !== "string");
    if (at < 0) continue;
    seen.problems.push(`${method}: item ${at} has no text "${text}": ${textExcerpt(items[at], 120)}`);
    return;
  }
}

/** Silence tells nothing here: who is not asked need not answer. */
async function unadvertised(context: CheckContext, list: ServerList): Promise<Finding[]> {
  const items = listItems(list, (await askOrPing(context, list.method))?.raw) ?? [];
  if (items.length === 0) return [];
  return [{
    severity: "warning",
    code: "capability-not-advertised",
    message:
      `${list.method} answers ${count(items.length, "item")}, and ${list.capability} is not advertised: ` +
      "clients do not ask for them",
  }];
}

/** Asks for the completion of something listed; a server may refuse what it does not list. */
async function lookAtCompletion(context: CheckContext, seen: Seen): Promise<void> {
  const params = completable(seen.lists);
  if (params === undefined) return;
  const result = await resultOf(context, seen, "completions", "completion/complete", params);
  const completion = isObject(result) ? result.completion : undefined;
  if (result === undefined || (isObject(completion) && Array.isArray(completion.values))) return;
  seen.problems.push(`completion/complete: "completion.values" is not an array: ${textExcerpt(result, 120)}`);
}

function completable(lists: Seen["lists"]): Record<string, unknown> | undefined {
  for (const prompt of lists.get("prompts/list") ?? []) {
    const [first] = isObject(prompt) && Array.isArray(prompt.arguments) ? prompt.arguments : [];
    if (!isObject(prompt) || !isObject(first) || typeof first.name !== "string") continue;
    return { ref: { type: "ref/prompt", name: prompt.name }, argument: { name: first.name, value: "" } };
  }
  for (const template of lists.get("resources/templates/list") ?? []) {
    const uri = isObject(template) ? template.uriTemplate : undefined;
    const name = typeof uri === "string" ? /\{(\w+)\}/.exec(uri.slice(0, 1000))?.[1] : undefined;
    if (name !== undefined) return { ref: { type: "ref/resource", uri }, argument: { name, value: "" } };
  }
  return undefined;
}

/** Older SDKs make a server advertise logging that only sends messages: nothing that fails. */
async function lookAtLogging(context: CheckContext, { findings }: Seen): Promise<void> {
  if ((await askOrPing(context, "logging/setLevel", { level: "info" }))?.code !== methodNotFound) {
    return;
  }
  findings.push({
    severity: "warning",
    code: "capability-not-answered",
    message: "logging is advertised, and logging/setLevel is unknown: clients cannot choose the level",
  });
}

async function lookAtSubscribing(context: CheckContext, seen: Seen): Promise<void> {
  const { resources } = context.server.capabilities;
  const first = seen.lists.get("resources/list")?.[0];
  if (!isObject(resources) || resources.subscribe !== true || !isObject(first)) return;
  const params = { uri: first.uri };
  const result = await resultOf(context, seen, "resources.subscribe", "resources/subscribe", params);
  if (result !== undefined) await askOrPing(context, "resources/unsubscribe", params);
}
