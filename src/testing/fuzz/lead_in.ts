/**
 * Calls of the other tools before those of one tool: what they leave on the server, and ids in their answers, are what a
 * tool alone never meets.
 */
import type { CallOutcome } from "../../../machines/model/plugin.ts";
import { textWords } from "../../core/text.ts";
import { exclusionReason } from "../generate/excluded_tools.ts";
import { captureFrom } from "../judge/judge_step.ts";
import { type AnswerValue, answerValues } from "../learn/answer_values.ts";
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
  type: string;
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
      ...ids.map(({ name, key, value }) => ({ name, key, type: typeof value, tool: textWords(tool.name) })),
    );
    Object.assign(lead.variables, captureFrom(outcome, capturesOf(ids)).values);
  }
}

interface NamedId extends AnswerValue {
  /** Variable that captures it. */
  name: string;
}

const namedIds = (outcome: CallOutcome, tool: string): NamedId[] =>
  idsIn(outcome).map((id, index) => ({
    ...id,
    name: `${tool}_${id.key.join("_")}_${index + 1}`.replace(/\W/g, "_").replace(/^\d/, "_$&"),
  }));

const capturesOf = (ids: readonly NamedId[]): Record<string, string> =>
  Object.fromEntries(ids.map(({ name, capture }) => [name, capture]));

/** The variable whose value fits a property by its name: `note_id` takes the `id` that `create_note` answered. */
export function fittingVariable(
  property: string,
  given: unknown,
  all: readonly LeadValue[],
): string | undefined {
  // An id in text is known as a text and as a number.
  const values = all.toSorted((a, b) => Number(b.type === typeof given) - Number(a.type === typeof given));
  const wanted = textWords(property);
  const same = (one: readonly string[], other: readonly string[]) => one.join(" ") === other.join(" ");
  const isOf = ({ key, tool }: LeadValue) =>
    (key.length === 1 || wanted.length > 1) && wanted.at(-1) === key.at(-1) &&
    wanted.slice(0, -1).every((word) => tool.includes(word) || key.includes(word));
  return (values.find(({ key }) => same(key, wanted)) ?? values.find(isOf))?.name;
}

/** Last words of keys whose values name something that a server keeps. */
const naming = /^(?:id|name|key|uri|url|path|handle|token|slug|code|uuid|session|cursor)$/;

const idsIn = (outcome: CallOutcome): AnswerValue[] =>
  outcome.isError
    ? []
    : answerValues(outcome).filter(({ key }) => naming.test(key.at(-1) ?? "")).slice(0, mostValues);
