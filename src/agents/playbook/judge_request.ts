/** Facts about a request on which the choice of a turn depends: which conditions of the playbook hold for it. */
import type { JudgedRequest, Playbook, RequestRule, SidePurpose } from "../../../machines/model/playbook.ts";
import { textExcerpt } from "../../core/text.ts";
import { ruleViolations } from "./rule_violations.ts";
import { type ModelRequest, promptOf } from "./model_request.ts";

/** Long enough for a prompt to be found in it. */
const openingLength = 20_000;

/**
 * @param sideCalls Whether the agent asks by itself for titles and summaries.
 * @throws {PthError} for a pattern of the playbook that runs away on the request
 */
export function judgeRequest(
  requestId: string,
  request: ModelRequest,
  { lanes }: Playbook,
  sideCalls = true,
): JudgedRequest {
  const holds = (rule: RequestRule | undefined) =>
    rule !== undefined && ruleViolations(rule, request).length === 0;
  const { agent } = request;
  const side = sideCalls || lanes.some(({ side }) => side !== undefined) ? sideOf(request) : undefined;
  return {
    requestId,
    summary: summaryOf(request),
    lanes: lanes.flatMap(({ match }, index) => holds(match) ? [index] : []),
    holds: lanes.flatMap(({ turns }, lane) =>
      turns.flatMap(({ when, match, repeat }, turn) => [
        ...(holds(when) ? [`${lane}.${turn}.when`] : []),
        ...(holds(match) ? [`${lane}.${turn}.match`] : []),
        ...(holds(repeat?.until) ? [`${lane}.${turn}.until`] : []),
      ])
    ),
    ...(agent === undefined ? {} : { agent, opening: openingOf(request) }),
    ...(side === undefined ? {} : { side }),
  };
}

const openingOf = ({ messages }: ModelRequest): string =>
  messages.filter(({ role }) => role === "user").slice(0, 2).map(({ text }) => text).join("\n")
    .slice(0, openingLength);

/** A call without tools whose instructions ask for a title or a summary is none of the conversation. */
function sideOf(request: ModelRequest): SidePurpose | undefined {
  if (request.tools.length > 0 || request.agent !== undefined) return undefined;
  const instructions = `${request.system}\n${promptOf(request)}`;
  if (/\b(?:title|topic)\b/i.test(instructions)) return "title";
  return /\bsummar(?:y|ies|i[sz]e|i[sz]ing)\b/i.test(instructions) ? "summary" : undefined;
}

/** A request in one line, for messages. */
export function summaryOf(request: ModelRequest): string {
  const { agent, tools, results } = request;
  const last = results.at(-1);
  const parts = [
    `${agent === undefined ? "the main conversation" : `subagent ${agent}`} says ${
      textExcerpt(promptOf(request), 120)
    }`,
    ...(last === undefined
      ? []
      : [`last ${last.isError ? "error" : "result"}: ${last.tool} ${textExcerpt(last.text, 120)}`]),
    tools.length === 1 ? "1 tool offered" : `${tools.length} tools offered`,
  ];
  return parts.join("; ");
}
