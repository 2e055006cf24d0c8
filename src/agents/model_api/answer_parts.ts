/** Parts of a model's answer, gathered into a turn. */
import type { Usage } from "../../../machines/model/playbook.ts";
import { definedOnly, isObject, jsonIn } from "../../core/values.ts";
import type { ReadAnswer } from "./upstream.ts";

/** A call whose input is a text of JSON, or a value already. */
interface AnsweredCall {
  id?: string | undefined;
  tool: string;
  input: unknown;
}

export class AnswerParts {
  readonly #texts: string[] = [];
  readonly #thoughts: string[] = [];
  readonly #calls: { id?: string; tool: string; input: Record<string, unknown> }[] = [];
  readonly #notes = new Set<string>();
  #usage: Usage = {};
  /** Set at the answer's end. */
  ended = false;

  text(text: unknown): void {
    if (typeof text === "string" && text !== "") this.#texts.push(text);
  }

  thought(text: unknown): void {
    if (typeof text === "string" && text !== "") this.#thoughts.push(text);
  }

  call({ id, tool, input }: AnsweredCall): void {
    const value = typeof input === "string" ? input.trim() === "" ? {} : jsonIn(input) : input ?? {};
    if (!isObject(value)) this.note(`the input of a call of ${tool} is no JSON object`);
    this.#calls.push({ ...(id === undefined ? {} : { id }), tool, input: isObject(value) ? value : {} });
  }

  /** Tells that something of the answer is left out. */
  note(text: string): void {
    this.#notes.add(text);
  }

  /** Adds what is known of the tokens; later values count. */
  used(usage: { [Key in keyof Usage]: unknown }): void {
    const known = Object.entries(usage).filter(([, value]) =>
      Number.isSafeInteger(value) && Number(value) >= 0
    );
    this.#usage = { ...this.#usage, ...Object.fromEntries(known) };
  }

  read(): ReadAnswer {
    const [text, thinking] = [this.#texts.join("\n"), this.#thoughts.join("\n")];
    const calls = this.#calls;
    return {
      turn: definedOnly({
        thinking: thinking === "" ? undefined : thinking,
        text: text === "" && calls.length > 0 ? undefined : text,
        calls: calls.length === 0 ? undefined : calls,
        usage: Object.keys(this.#usage).length === 0 ? undefined : this.#usage,
      }),
      notes: [...this.#notes],
      ended: this.ended,
    };
  }
}

/** Data of server-sent events; undefined where there is none. What was cut off in its midst is left out. */
export function eventData(text: string): Record<string, unknown>[] | undefined {
  const data = text.split(/\r?\n\r?\n/).map((event) =>
    event.split(/\r?\n/).filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trimStart())
      .join("\n")
  ).filter((each) => each !== "");
  const values = data.map(jsonIn).filter(isObject);
  return values.length > 0 || data.includes("[DONE]") ? values : undefined;
}

/** Whether a text is of events: a streamed answer. */
export const isEventText = (text: string): boolean => /^\s*(?::|(?:event|data|id|retry):)/.test(text);

/** Input tokens without those that a cache had, of APIs that count them together. */
export const uncached = (input: unknown, cached: unknown): unknown =>
  typeof input === "number" && typeof cached === "number" ? Math.max(0, input - cached) : input;

/** Message of an error within an answer. */
export const failureText = (error: unknown): string => {
  if (isObject(error) && typeof error.message === "string") return error.message;
  return typeof error === "string" ? error : "it does not say why";
};
