/** Fuzzes the tools of a plugin, shares the time among them, and reports each fault once. */
import type { FuzzFind, FuzzReport, FuzzRequest, StartingInput } from "../../../machines/model/fuzz.ts";
import { count, firstLine } from "../../core/text.ts";
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { asPthError, PthError } from "../../core/errors.ts";
import { definedOnly } from "../../core/values.ts";
import {
  callableTools,
  type CallPlace,
  decidingPlace,
  exclusionReason,
  realPlace,
} from "../generate/excluded_tools.ts";
import { exampleInput } from "../json_schema/example_input.ts";
import { inTime } from "../json_schema/in_time.ts";
import { replaceVariables } from "../format/variables.ts";
import { type LeadCall, LeadIn } from "./lead_in.ts";
import { validatorFor } from "../../client/schema_problems.ts";
import type { InputOptions } from "./arbitraries/inputs.ts";
import { ToolExploration } from "./tool_exploration.ts";
import { faultId } from "./found_test.ts";
import { fuzzSequences } from "./fuzz_sequences.ts";
import { type FuzzHost, FuzzServer } from "./fuzz_server.ts";
import { memoryFind } from "./memory_find.ts";
import type { Callable } from "./replay.ts";
import { freshSeed } from "./seeds.ts";
import { metFind, settleFault } from "./settle_fault.ts";

export interface FuzzPluginOptions extends InputOptions {
  signal: AbortSignal;
  /** Place where the tools' calls land; a real one unless given. */
  place?: CallPlace;
  /** One line of what happens now. */
  say?: (message: string) => void;
}

/** Between two lines of progress, in ms. */
const sayEveryMs = 500;
/** Share of the time that is left in which inputs are called; the faults that they show get the rest. */
const exploring = 0.6;
/** Share of the whole time that single calls get, where sequences are asked for, too. */
const singles = 0.7;
/** To make one fault's input smaller, in ms. */
const settleMs = 30_000;

/**
 * The same tools, seed and runs draw the same inputs and shrink them the same way; a limit of time only ends that early.
 * What was found is told even if the server does not start any more.
 * @throws {PthError} `NO_SUCH_TOOL`; when the server cannot be started at all; the signal's reason
 */
export async function fuzzPlugin(
  tools: readonly ToolDefinition[],
  host: FuzzHost,
  request: FuzzRequest,
  { signal, say = () => {}, reaching, place = realPlace }: FuzzPluginOptions,
): Promise<FuzzReport> {
  const { runs = 100, seed = freshSeed(), timeoutSeconds = 5, timeSeconds = Infinity } = request;
  const { chosen, heldBack } = choose(tools, request, place);
  const server = new FuzzServer(host, signal);
  const started = server.now();
  const limitMs = timeoutSeconds * 1000;
  const end = started + timeSeconds * 1000;
  const callables = new Map(chosen.map((tool) => [tool.name, callableOf(tool)]));
  const callable = (name: string) => callables.get(name);
  const { startingInputs = [] } = request;
  const leadIn = new LeadIn(leadCalls(chosen, callable, startingInputs));
  const explorations = chosen.map((tool) =>
    new ToolExploration(callables.get(tool.name)!, {
      runs,
      seed,
      limitMs,
      reaching,
      startingInputs,
      callable,
      leadIn,
    })
  );
  const search = new Search(explorations, server, {
    ...{ runs, seed, limitMs, end, say, callable },
    reaching,
  });
  let startFailed: string | undefined;
  try {
    await search.singles(request.sequences === true ? started + timeSeconds * 1000 * singles : end);
    if (request.sequences === true) await search.sequences(chosen);
  } catch (error) {
    if (signal.aborted || search.calls === 0) throw error;
    startFailed = asPthError(error).message;
    search.keepUnsettled();
  } finally {
    await server.close();
  }
  const cutShort = search.shortfalls();
  return {
    ...{ seed, runs, heldBack, finds: search.finds, restarts: server.restarts },
    tools: explorations.map((each) =>
      each.report(startFailed === undefined ? "out of time" : "the server does not start any more")
    ),
    durationMs: Math.round(server.now() - started),
    ...definedOnly({ startFailed, cutShort: cutShort === "" ? undefined : cutShort }),
  };
}

function callableOf(tool: ToolDefinition): Callable {
  const { result: validate } = inTime(tool.inputSchema, () => validatorFor(tool.inputSchema));
  const isValid = (input: unknown) =>
    inTime(tool.inputSchema, () => validate !== undefined && validate(input).length === 0).result ?? false;
  return { tool, isValid };
}

/** A call of each tool that is likely to work, in the order in which generated tests call them. */
const leadCalls = (
  chosen: readonly ToolDefinition[],
  callable: (name: string) => Callable | undefined,
  startingInputs: readonly StartingInput[],
): LeadCall[] =>
  callableTools(chosen, { includeHeldBack: true }).flatMap((tool) => {
    const start = startingInputs.find((each) => each.tool === tool.name && each.setup.length === 0);
    const input = start === undefined ? exampleInput(tool)?.input : replaceVariables(start.input, {});
    return input === undefined ? [] : [{ callable: callable(tool.name)!, input }];
  });

interface SearchOptions extends InputOptions {
  runs: number;
  seed: number;
  limitMs: number;
  /** Milliseconds on the clock of the server at which everything ends. */
  end: number;
  say: (message: string) => void;
  callable: (tool: string) => Callable | undefined;
}

/** The search of one request: what it has found, and what is left. */
class Search {
  finds: FuzzFind[] = [];
  readonly #explorations: readonly ToolExploration[];
  readonly #server: FuzzServer;
  readonly #options: SearchOptions;
  /** Faults of a tool that became finds, or notes. */
  readonly #settled = new Map<ToolExploration, number>();
  #missingSequences = 0;

  constructor(explorations: readonly ToolExploration[], server: FuzzServer, options: SearchOptions) {
    this.#explorations = explorations;
    this.#server = server;
    this.#options = options;
  }

  /** Inputs that were called. */
  get calls(): number {
    return this.#explorations.reduce((sum, { calls }) => sum + calls, 0);
  }

  /** Rounds of exploring and settling: what tools leave of their time goes to those that need more. */
  async singles(until: number): Promise<void> {
    for (let open = this.#explorations; open.length > 0 && this.#server.now() < until;) {
      await this.#explore(open, this.#shareOf(until, 1 / exploring));
      await this.#settle(until);
      open = open.filter(({ ended }) => ended === undefined);
    }
    await this.#measureMemory(until);
  }

  async sequences(tools: readonly ToolDefinition[]): Promise<void> {
    const { say, end, ...options } = this.#options;
    const onCall = (done: number) => say(`fuzzing sequences of calls: ${count(done, "sequence")}`);
    const stage = { ...options, server: this.#server, until: end, onCall };
    const { finds, missing } = await fuzzSequences(tools, this.finds, stage);
    this.finds = withSequences(this.finds, finds);
    this.#missingSequences = missing;
  }

  /** Keeps faults that cannot be shown again. */
  keepUnsettled(): void {
    for (const { exploration, faults } of this.#unsettled()) {
      for (const fault of faults) {
        const find = metFind(fault, exploration.callable.tool.name, this.#options.seed);
        this.finds.push({
          ...find,
          message: `${find.message}\n  not confirmed: the server does not start any more`,
        });
      }
    }
  }

  /** Tells what was not tried: tools that were not reached, and those with too few inputs; empty if nothing is missing. */
  shortfalls(): string {
    const cut = this.#explorations.filter(({ missing }) => missing > 0);
    const isReached = ({ calls }: ToolExploration) => calls > 0;
    const namesOf = (some: readonly ToolExploration[]) =>
      some.map(({ callable: { tool } }) => tool.name).join(", ");
    const [unreached, few] = [cut.filter((each) => !isReached(each)), cut.filter(isReached)];
    return [
      ...(unreached.length === 0 ? [] : [`not reached: ${namesOf(unreached)}`]),
      ...(few.length === 0 ? [] : [`fewer than ${this.#options.runs} inputs: ${namesOf(few)}`]),
      ...(this.#missingSequences === 0
        ? []
        : [`${count(this.#missingSequences, "sequence")} of calls not tried`]),
    ].join("; ");
  }

  async #explore(open: readonly ToolExploration[], until: number): Promise<void> {
    const { end, say, runs } = this.#options;
    let before: ToolExploration | undefined;
    for (const [index, exploration] of open.entries()) {
      if (this.#server.now() > end) return;
      // What a tool leaves behind must not show as another one's fault; readers leave nothing.
      const mayShare = before === undefined || (before.isReader && exploration.isReader);
      if (!mayShare) await this.#server.renew();
      before = exploration;
      const { name } = exploration.callable.tool;
      await exploration.explore(this.#server, {
        ...{ until: this.#shareOf(until, open.length - index), end },
        onCall: teller(`${name} (${index + 1} of ${open.length})`, runs, say),
      });
    }
  }

  /** End of an equal share of the time that is left. */
  #shareOf(until: number, parts: number): number {
    const now = this.#server.now();
    return now + Math.max(0, until - now) / parts;
  }

  #unsettled() {
    return this.#explorations.map((each) => ({
      exploration: each,
      faults: each.faults.slice(this.#settled.get(each) ?? 0),
    })).filter(({ faults }) => faults.length > 0);
  }

  async #settle(until: number): Promise<void> {
    const { say, seed, limitMs, callable } = this.#options;
    const open = this.#unsettled();
    let left = open.reduce((sum, { faults }) => sum + faults.length, 0);
    for (const { exploration, faults } of open) {
      const { callable: subject, inputs, usualMs } = exploration;
      const { name } = subject.tool;
      for (const fault of faults) {
        say(`making the input of a fault smaller: ${name}: ${fault.oracle.name}`);
        const share = Math.min(this.#shareOf(until, left--), this.#server.now() + settleMs);
        const { find, note } = await settleFault(fault, {
          ...{
            server: this.#server,
            callable,
            subject,
            inputs: inputs!,
            usualMs,
            seed,
            limitMs,
            until: share,
          },
        });
        this.#settled.set(exploration, (this.#settled.get(exploration) ?? 0) + 1);
        if (find === undefined) exploration.notes.push(note);
        else {
          this.finds.push(find);
          say(`${name}: ${find.oracle}: ${firstLine(find.message)}`);
        }
      }
    }
  }

  /** Measures memory of tools without another fault only: a server that must be restarted does not grow. */
  async #measureMemory(until: number): Promise<void> {
    const { seed, limitMs, say } = this.#options;
    const sound = this.#explorations.filter(({ answered, callable: { tool } }) =>
      answered.length > 0 &&
      !this.finds.some((find) => find.tool === tool.name && find.severity === "failure")
    );
    for (const [index, { callable: { tool }, answered }] of sound.entries()) {
      if (this.#server.now() > until) return;
      say(`measuring memory: ${tool.name} (${index + 1} of ${sound.length})`);
      const share = this.#shareOf(until, sound.length - index);
      const find = await memoryFind(tool, answered, this.#server, { seed, limitMs, until: share });
      if (find !== undefined) this.finds.push(find);
    }
  }
}

/** Removes faults that a sequence of calls explains: they are reported once, with those calls. */
function withSequences(single: readonly FuzzFind[], sequences: readonly FuzzFind[]): FuzzFind[] {
  const explained = (find: FuzzFind) =>
    !find.confirmed && sequences.some((other) => other.confirmed && faultId(other) === faultId(find));
  return [...single.filter((find) => !explained(find)), ...sequences];
}

function choose(
  tools: readonly ToolDefinition[],
  { tools: wanted, includeHeldBack }: FuzzRequest,
  place: CallPlace,
) {
  const unknown = wanted?.find((name) => !tools.some((tool) => tool.name === name));
  if (unknown !== undefined) {
    throw new PthError("NO_SUCH_TOOL", `Cannot fuzz ${unknown}: the plugin lists no such tool`, {
      next: [`Choose among: ${tools.map(({ name }) => name).join(", ")}`],
    });
  }
  const chosen: ToolDefinition[] = [];
  const heldBack: FuzzReport["heldBack"] = [];
  for (const tool of tools.filter(({ name }) => wanted?.includes(name) ?? true)) {
    const reason = includeHeldBack === true
      ? undefined
      : exclusionReason(tool, decidingPlace({ ...definedOnly({ includeHeldBack }), place }));
    if (reason === undefined) chosen.push(tool);
    else heldBack.push({ tool: tool.name, reason });
  }
  return { chosen, heldBack };
}

/** Reports progress at intervals. */
function teller(what: string, runs: number, say: (message: string) => void) {
  let last = -Infinity;
  return (done: number) => {
    if (performance.now() - last < sayEveryMs && done < runs) return;
    last = performance.now();
    say(`fuzzing ${what}: ${done} of ${runs} inputs`);
  };
}
