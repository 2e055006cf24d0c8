/** `pth agent new-eval`: a case of evals from a session on a playbook or a real model, with graders that it passes. */
import { resolve } from "node:path";
import type { AgentSessionResult } from "../../../machines/model/agent_session.ts";
import { proposeCase } from "../../agents/evals/propose_case.ts";
import { newCaseFolder, writeCase } from "../../agents/evals/write_case.ts";
import { asPthError } from "../../core/errors.ts";
import { slug } from "../../testing/format/ids.ts";
import type { CommandLine } from "../command.ts";
import { isFolder } from "../options/agent_options.ts";
import { textValue } from "../options/option_values.ts";
import type { Problems } from "../options/problems.ts";

export interface NewEval {
  /** Writes the case, and answers lines for people. @throws {PthError} where something is there already */
  write(session: Pick<AgentSessionResult, "trace">): Promise<string>;
}

/** Reads and checks; everything that is wrong is added to the problems. */
export async function readNewEval(
  { operands: [, plugin, prompt = ""], options }: CommandLine,
  problems: Problems,
): Promise<NewEval | undefined> {
  if (plugin === undefined) return undefined;
  if (!await isFolder(plugin)) {
    problems.add(`an eval is written into the plugin's folder, and ${plugin} is none`);
    return undefined;
  }
  const root = resolve(plugin);
  const name = textValue(options.name) ?? nameOf(prompt);
  try {
    const folder = await newCaseFolder(root, name);
    return {
      async write(session) {
        const { files, graders } = proposeCase(folder, prompt, session);
        await writeCase(root, files);
        const playbook = textValue(options.playbook) ?? textValue(options.out) ?? "<playbook>";
        return `Wrote ${folder}: prompt.md, and as proposals the graders ${graders.join(", ")}\n` +
          `Edit them, then: pth agent eval ${plugin} --case ${name} --playbook ${playbook}\n`;
      },
    };
  } catch (error) {
    problems.add(asPthError(error, "Cannot write an eval").message);
    return undefined;
  }
}

/** A name of a folder from the prompt's first words. */
const nameOf = (prompt: string): string =>
  slug(prompt).replaceAll(/[^a-z0-9-]/g, "").slice(0, 40).replaceAll(/^-+|-+$/g, "") || "case";
