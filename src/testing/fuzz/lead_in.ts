/**
 * Calls of the other tools before those of one tool: what they leave on the server, and ids in their answers, are what a
 * tool alone never meets.
 */
import type { CallOutcome } from "../../../machines/model/plugin.ts";
import { textWords } from "../../core/text.ts";
import { isObject } from "../../core/values.ts";
import { exclusionReason } from "../generate/excluded_tools.ts";
import { captureFrom } from "../judge/judge_step.ts";
import { jsonOutput } from "../match/json_output.ts";
import type { FuzzServer } from "./fuzz_server.ts";
import type { Callable } from "./replay.ts";

export interface LeadCall {
  callable: Callable;
  input: Record<string, unknown>;
}

/** A value of an answer. */
interface LeadValue {
  /** Variable that captures it. */
  name: string;
  /** Words of its key, and of the tool that answered. */
  key: string[];
  tool: string[];
}

export interface Lead {
  /** Number of the server that it was made on. */
  server: number;
  values: LeadValue[];
  variables: Record<string, unknown>;
}

/** Tools that are called, and values of each answer that are kept. */
const mostCalls = 12;
const mostValues = 6;
const deepest = 3;
/** Longest wait for an answer, in ms: nothing depends on it. */
const waitMs = 1_000;
/** Words of tools that undo what others did. */
const ending = new Set("reset clear stop close end quit flush delete remove drop".split(" "));

export class LeadIn {
  readonly #calls: readonly LeadCall[];
  /** Tools that ended the server, or gave no answer. */
  readonly #unfit = new Set<string>();

  constructor(calls: readonly LeadCall[]) {
    this.#calls = calls.filter(({ callable: { tool } }) =>
      exclusionReason(tool) === undefined && !textWords(tool.name).some((word) => ending.has(word))
    );
  }

  /** Whether there is a tool that may leave something for the tool. */
  servesTool(name: string): boolean {
    return this.#callsFor(name).some(({ callable: { tool } }) => tool.annotations?.readOnlyHint !== true);
  }

  /** Makes the calls on a fresh server. @throws {PthError} as `FuzzServer.call` */
  async lead(name: string, server: FuzzServer): Promise<Lead> {
    for (;;) {
      await server.renew();
      await server.ready();
      const lead: Lead = { server: server.number, values: [], variables: {} };
      for (const call of this.#callsFor(name)) await this.#make(call, server, lead);
      if (lead.server === server.number) return lead;
    }
  }

  #callsFor(name: string): LeadCall[] {
    return this.#calls.filter(({ callable: { tool } }) => tool.name !== name && !this.#unfit.has(tool.name))
      .slice(0, mostCalls);
  }

  async #make(
    { callable: { tool, isValid }, input }: LeadCall,
    server: FuzzServer,
    lead: Lead,
  ): Promise<void> {
    let ids: NamedId[] = [];
    const capture = (outcome: CallOutcome) => {
      ids = namedIds(outcome, tool.name);
      return capturesOf(ids);
    };
    const call = { tool, input, valid: isValid(input), limitMs: waitMs, patient: true, capture };
    const { outcome } = await server.call(call);
    if (outcome === undefined || lead.server !== server.number) this.#unfit.add(tool.name);
    if (outcome === undefined) return;
    lead.values.push(
      ...ids.map(({ name, key }) => ({ name, key: textWords(key), tool: textWords(tool.name) })),
    );
    Object.assign(lead.variables, captureFrom(outcome, capturesOf(ids)).values);
  }
}

interface NamedId extends FoundId {
  /** Variable that captures it. */
  name: string;
}

const namedIds = (outcome: CallOutcome, tool: string): NamedId[] =>
  idsIn(outcome).map((id, index) => ({
    ...id,
    name: `${tool}_${id.key}_${index + 1}`.replace(/\W/g, "_").replace(/^\d/, "_$&"),
  }));

const capturesOf = (ids: readonly NamedId[]): Record<string, string> =>
  Object.fromEntries(ids.map(({ name, path }) => [name, path]));

/** The variable whose value fits a property by its name: `note_id` takes the `id` that `create_note` answered. */
export function fittingVariable(property: string, values: readonly LeadValue[]): string | undefined {
  const wanted = textWords(property);
  const same = (one: readonly string[], other: readonly string[]) => one.join(" ") === other.join(" ");
  const isOf = ({ key, tool }: LeadValue) =>
    key.length === 1 && wanted.at(-1) === key[0] && wanted.slice(0, -1).every((word) => tool.includes(word));
  return (values.find(({ key }) => same(key, wanted)) ?? values.find(isOf))?.name;
}

/** Keys whose values name something that a server keeps. */
const isId = (key: string): boolean =>
  /^(?:id|name|key|uri|url|path|handle|token|slug|code|uuid|session|cursor)$/.test(
    textWords(key).at(-1) ?? "",
  );

interface FoundId {
  key: string;
  /** JSONPath, as the `capture` of a step has it. */
  path: string;
}

function idsIn(outcome: CallOutcome): FoundId[] {
  const json = outcome.isError ? undefined : jsonOutput(outcome);
  return json === undefined ? [] : idsOf(json.value, "$.output", 0).slice(0, mostValues);
}

function idsOf(value: unknown, path: string, depth: number): FoundId[] {
  if (depth > deepest) return [];
  if (Array.isArray(value)) {
    return value.slice(0, 2).flatMap((item, index) => idsOf(item, `${path}[${index}]`, depth + 1));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).filter(([key]) => /^[A-Za-z_]\w*$/.test(key)).flatMap(([key, item]) => {
    const place = `${path}.${key}`;
    const isValue = typeof item === "number" ||
      (typeof item === "string" && item !== "" && item.length <= 200);
    return isValue && isId(key) ? [{ key, path: place }] : idsOf(item, place, depth + 1);
  });
}
