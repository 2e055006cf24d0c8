/** Results of the calls that a playbook made, found in the requests that bring them. */
import type { ModelRequest, ToolResult } from "./model_request.ts";

/** Characters of all results together. */
const mostText = 64 * 1024 * 1024;

/** Id of a call by the numbers of its exchange and of itself in it. */
export const idOfCall = (exchange: number, call: number): string => `call_${exchange}_${call}`;

interface OpenCall {
  id: string;
  tool: string;
  /** Id that a real model gave the call. */
  sent?: string;
}

export class CallResults {
  readonly #found = new Map<string, ToolResult>();
  /** Number of results that were too much to keep. */
  lost = 0;
  #text = 0;
  /** Calls without a result yet, by the subagent that is to make them. */
  readonly #open = new Map<string | undefined, OpenCall[]>();
  /** Number of results without an id that belong to a call already. */
  readonly #taken = new Map<string | undefined, number>();

  /** Result of a call; undefined while no request has brought it. */
  of(exchange: number, call: number): ToolResult | undefined {
    return this.#found.get(idOfCall(exchange, call));
  }

  called(agent: string | undefined, calls: readonly OpenCall[]): void {
    if (calls.length > 0) this.#open.set(agent, [...this.#open.get(agent) ?? [], ...calls]);
  }

  /** Takes results by their id; those without one in their order, by the tool's name. */
  asked({ agent, results }: Pick<ModelRequest, "agent" | "results">): void {
    const open = this.#open.get(agent) ?? [];
    if (open.length === 0) return;
    const named = new Map(results.map((result) => [result.id, result]));
    const taken = this.#taken.get(agent) ?? 0;
    const unnamed = results.filter(({ id }) => id === undefined).slice(taken);
    const before = unnamed.length;
    this.#open.set(
      agent,
      open.filter(({ id, tool, sent = id }) => {
        const at = unnamed.findIndex((result) => result.tool === tool);
        const result = named.get(sent) ?? (at < 0 ? undefined : unnamed.splice(at, 1)[0]);
        if (result === undefined) return true;
        this.#keep(id, result);
        return false;
      }),
    );
    this.#taken.set(agent, taken + before - unnamed.length);
  }

  #keep(id: string, result: ToolResult): void {
    this.#text += result.text.length;
    if (this.#text > mostText) this.lost++;
    else this.#found.set(id, result);
  }
}
