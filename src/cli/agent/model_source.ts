/** Options of `pth agent run`, `record` and `replay` that say where the model's answers come from. */
import { resolve } from "node:path";
import type { UpstreamAddress } from "../../../machines/model/agent_session.ts";
import type { Playbook } from "../../../machines/model/playbook.ts";
import { openUpstream } from "../../agents/model_api/upstream.ts";
import { loadPlaybook } from "../../agents/playbook/load_playbook.ts";
import { errorMessage } from "../../core/errors.ts";
import { stat } from "../../platform/files.ts";
import { writableProblem } from "../../platform/writable.ts";
import type { CommandContext, CommandLine } from "../command.ts";
import { textValue } from "../options/option_values.ts";
import type { Problems } from "../options/problems.ts";

export interface ModelSource {
  /** Absent where it was not given. */
  prompt: string | undefined;
  /** Agent that a recording is of. */
  agent?: string;
  playbook(): Promise<Playbook>;
  upstream?: UpstreamAddress;
  /** File for the recorded playbook. */
  out?: string;
  acceptDrift: boolean;
  /** File of the recorded playbook whose requests are brought up to date. */
  update?: string;
}

const usualOut = "recorded.yaml";
/** Options of one action alone. */
const ofActions = {
  playbook: "run",
  upstream: "record",
  upstreamKey: "record",
  out: "record",
  acceptDrift: "replay",
  update: "replay",
  case: "eval",
  by: "eval",
} as const;

/** Adds a problem for each option that is for another action. */
export function refuseOthers(action: string, options: CommandLine["options"], problems: Problems): void {
  for (const [name, only] of Object.entries(ofActions)) {
    if (options[name] === undefined || only === action || (name === "playbook" && action === "eval")) {
      continue;
    }
    const option = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    problems.add(`--${option} is for pth agent ${only}`);
  }
}

/** @throws {PthError} for a recording that cannot be read */
export async function readModelSource(
  { operands: [action = "run", , operand], options }: CommandLine,
  context: CommandContext,
  problems: Problems,
): Promise<ModelSource> {
  refuseOthers(action, options, problems);
  if (action === "record") return await recording(operand, options, context, problems);
  if (action === "replay") return await replay(operand, options, problems);
  const file = textValue(options.playbook);
  if (file === undefined) problems.add("--playbook: name a file of turns for the model");
  return { prompt: operand, playbook: () => loadPlaybook(file!), acceptDrift: false };
}

async function recording(
  prompt: string | undefined,
  options: CommandLine["options"],
  context: CommandContext,
  problems: Problems,
): Promise<ModelSource> {
  const url = textValue(options.upstream);
  const key = textValue(options.upstreamKey);
  if (url === undefined) {
    problems.add("--upstream: give the address of the real model API, such as https://api.example.com");
  } else {
    try {
      openUpstream(url);
    } catch (error) {
      problems.add(`--upstream: ${errorMessage(error)}`);
    }
  }
  if (key !== undefined && !/^[A-Za-z_]\w*$/.test(key)) {
    // It may be the key itself: it is not repeated.
    problems.add("--upstream-key: give the name of an environment variable, not the key itself");
  } else if (key !== undefined && (context.env(key) ?? "").trim() === "") {
    problems.add(`--upstream-key: ${key} is not in the environment`);
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
  return {
    prompt,
    playbook: () => Promise.resolve({ lanes: [] }),
    out,
    acceptDrift: false,
    ...(url === undefined ? {} : { upstream: { url, ...(key === undefined ? {} : { key }) } }),
  };
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
    return { prompt: "", playbook: () => Promise.resolve({ lanes: [] }), acceptDrift };
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
    acceptDrift,
    ...(recorded === undefined ? {} : { agent: recorded.agent }),
    ...(update ? { update: file } : {}),
  };
}
