/** Options of `pth agent run`, `record`, `replay` and `new-eval` that say where the model's answers come from. */
import { resolve } from "node:path";
import type { AgentSessionRequest } from "../../../machines/model/agent_session.ts";
import type { Playbook } from "../../../machines/model/playbook.ts";
import { loadPlaybook } from "../../agents/playbook/load_playbook.ts";
import { stat } from "../../platform/files.ts";
import { writableProblem } from "../../platform/writable.ts";
import type { CommandLine } from "../command.ts";
import { readRealModel } from "../options/model_options.ts";
import { textValue } from "../options/option_values.ts";
import type { Problems } from "../options/problems.ts";

export interface ModelSource {
  /** Absent where it was not given. */
  prompt: string | undefined;
  /** Agent that a recording is of. */
  agent?: string;
  playbook(): Promise<Playbook>;
  /** Model that the session asks, where it is not the playbook with the agent's own name for it. */
  model: Pick<AgentSessionRequest, "upstream" | "model" | "budget">;
  /** File for the recorded playbook. */
  out?: string;
  acceptDrift: boolean;
  /** File of the recorded playbook whose requests are brought up to date. */
  update?: string;
}

const usualOut = "recorded.yaml";
/** Actions that an option is for. */
const ofActions: Readonly<Record<string, readonly string[]>> = {
  playbook: ["run", "eval", "new-eval", "new-test"],
  ...optionsOf(["upstream", "upstreamKey", "model", "budgetTokens", "budgetCost", "prices"], [
    "run",
    "record",
    "new-eval",
    "test",
  ]),
  out: ["record", "new-eval", "test", "new-test"],
  acceptDrift: ["replay"],
  update: ["replay"],
  case: ["eval"],
  by: ["eval"],
  runs: ["eval"],
  name: ["new-eval"],
  ...optionsOf(["grep", "tag", "workers"], ["test", "eval"]),
  project: ["run", "record", "replay", "eval", "new-eval"],
  record: ["run", "record", "replay", "eval", "new-eval"],
  ...optionsOf(["trace", "timeout"], ["run", "record", "replay", "new-eval"]),
  ...optionsOf(["retries", "bail", "failFast", "lastFailed", "shuffle", "seed", "shard", "watch"], ["test"]),
};

function optionsOf(names: readonly string[], actions: readonly string[]): Record<string, readonly string[]> {
  return Object.fromEntries(names.map((name) => [name, actions]));
}

/** Adds a problem for each option that is for other actions. */
export function refuseOthers(action: string, options: CommandLine["options"], problems: Problems): void {
  for (const [name, actions] of Object.entries(ofActions)) {
    if (options[name] === undefined || actions.includes(action)) continue;
    const option = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    problems.add(`--${option} is for pth agent ${actions.join(", ")}`);
  }
}

/** @throws {PthError} for a recording that cannot be read */
export async function readModelSource(
  { operands: [action = "run", , operand], options }: CommandLine,
  problems: Problems,
): Promise<ModelSource> {
  refuseOthers(action, options, problems);
  const file = textValue(options.playbook);
  if (file !== undefined && options.upstream !== undefined && action !== "record") {
    problems.add("--playbook and --upstream: a model is one or the other");
  }
  const isRecorded = action === "record" || (action === "new-eval" && options.upstream !== undefined);
  if (isRecorded) return await recording(operand, options, problems);
  if (action === "replay") return await replay(operand, options, problems);
  // The name of the model alone is what the agent is told that it asks for.
  const given = options.upstream === undefined ? { ...options, model: undefined } : options;
  const model = readRealModel(given, problems) ?? {};
  if (file === undefined && options.upstream === undefined) {
    problems.add("--playbook: name a file of turns for the model; or a real model with --upstream");
  }
  const playbook = file === undefined ? noTurns : () => loadPlaybook(file);
  return { prompt: operand, playbook, model, acceptDrift: false };
}

const noTurns = (): Promise<Playbook> => Promise.resolve({ lanes: [] });

async function recording(
  prompt: string | undefined,
  options: CommandLine["options"],
  problems: Problems,
): Promise<ModelSource> {
  // The name of the model alone is what the agent is told that it asks for.
  const given = options.upstream === undefined ? { ...options, model: undefined } : options;
  const model = readRealModel(given, problems) ?? {};
  if (options.upstream === undefined) {
    problems.add("--upstream: give the address of the real model API, such as https://api.example.com");
  }
  const out = resolve(textValue(options.out) ?? usualOut);
  if (await stat(out).then(() => true, () => false)) {
    problems.add(
      `--out: there is ${out} already; it may have been edited, so name another file or remove it`,
    );
  } else {
    const unwritable = await writableProblem(out);
    if (unwritable !== undefined) problems.add(`--out: cannot write ${out}: ${unwritable}`);
  }
  return { prompt, playbook: noTurns, model, out, acceptDrift: false };
}

async function replay(
  file: string | undefined,
  options: CommandLine["options"],
  problems: Problems,
): Promise<ModelSource> {
  const update = options.update === true;
  const acceptDrift = options.acceptDrift === true || update;
  if (file === undefined) {
    problems.add("name the recorded playbook: pth agent replay <plugin> <file>");
    return { prompt: "", playbook: noTurns, model: {}, acceptDrift };
  }
  const playbook = await loadPlaybook(file);
  const { recorded } = playbook;
  if (recorded === undefined) {
    problems.add(`${file} has no recorded requests; pth agent run --playbook ${file} plays it`);
  }
  if (update && !/\.ya?ml$/i.test(file)) problems.add("--update: the playbook is no YAML");
  return {
    prompt: recorded?.prompt ?? "-",
    playbook: () => Promise.resolve(playbook),
    model: recorded?.model === undefined ? {} : { model: recorded.model },
    acceptDrift,
    ...(recorded === undefined ? {} : { agent: recorded.agent }),
    ...(update ? { update: file } : {}),
  };
}
