/** Inputs of one tool as they are sent: with the calls that they need before, and ids that other tools answered. */
import type { StartingInput } from "../../../machines/model/fuzz.ts";
import { replaceVariables } from "../format/variables.ts";
import type { FuzzServer } from "./fuzz_server.ts";
import { fittingVariable, type Lead, type LeadIn } from "./lead_in.ts";
import type { CalledInput } from "./plan_inputs.ts";
import type { Callable, ReplayContext } from "./replay.ts";
import { asStepValue, prepare } from "./starting_inputs.ts";

export interface PreparingOptions extends Pick<ReplayContext, "callable"> {
  limitMs: number;
  leadIn: LeadIn;
}

interface SentInput {
  input: Record<string, unknown>;
  /** Input with the variables that its values come from. */
  template?: Record<string, unknown>;
}

/** Times that the calls of other tools are made for one tool: a tool that ends its server needs them again. */
const mostLeads = 3;

interface Prepared {
  /** Number of the server. */
  server: number;
  variables: Record<string, unknown> | undefined;
}

export class PreparedInputs {
  /** Inputs that were not sent, as the calls before them did not work. */
  failed = 0;
  readonly #subject: Callable;
  readonly #options: PreparingOptions;
  readonly #prepared = new Map<StartingInput, Prepared>();
  #lead: Lead | undefined;
  #leads = 0;

  constructor(subject: Callable, options: PreparingOptions) {
    this.#subject = subject;
    this.#options = options;
  }

  /** Undefined where the calls before it do not work. @throws {PthError} as `FuzzServer.call` */
  async inputOf(planned: CalledInput, server: FuzzServer): Promise<SentInput | undefined> {
    const { input, from, isLed, breach } = planned;
    const lead = isLed ? await this.#leadOn(server) : undefined;
    if (from === undefined) return breach === undefined && lead ? this.#withIds(planned, lead) : { input };
    const template = { ...from.start.input, ...from.replaced };
    if (from.start.setup.length === 0) return { input: replaceVariables(template, {}) };
    await server.ready();
    const known = this.#prepared.get(from.start);
    const current = known?.server === server.number ? known : {
      server: server.number,
      variables: await prepare(from.start, this.#options, server, this.#options.limitMs),
    };
    this.#prepared.set(from.start, current);
    // A call that prepares it may have ended the server: what it captured is gone.
    const { variables } = current;
    if (variables === undefined) this.failed++;
    return variables === undefined ? undefined : { input: replaceVariables(template, variables), template };
  }

  /** Calls of other tools come before the first input that is to meet them, and again when the server is another one. */
  async #leadOn(server: FuzzServer): Promise<Lead | undefined> {
    const { leadIn } = this.#options;
    const { name } = this.#subject.tool;
    if (this.#lead?.server === server.number || !leadIn.servesTool(name)) return this.#lead;
    if (this.#leads >= mostLeads) return undefined;
    this.#leads++;
    this.#lead = await leadIn.lead(name, server);
    return this.#lead;
  }

  /** Every other input takes ids that other tools answered, where its properties are named like them. */
  #withIds({ input, path }: CalledInput, { values, variables }: Lead): SentInput {
    if (Number(path) % 2 === 1) return { input };
    const taken = Object.keys(input).flatMap((property) => {
      const variable = fittingVariable(property, input[property], values);
      return variable === undefined || variables[variable] === undefined ? [] : [[property, `$${variable}`]];
    });
    if (taken.length === 0) return { input };
    const template = { ...asStepValue(input) as SentInput["input"], ...Object.fromEntries(taken) };
    const filled = replaceVariables(template, variables);
    return this.#subject.isValid(filled) ? { input: filled, template } : { input };
  }
}
