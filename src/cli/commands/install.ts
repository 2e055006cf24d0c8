/** `pth install`: PTH's server of project tests and its skill, set up in the agents of this machine. */
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { PthError } from "../../core/errors.ts";
import { readTextFile, realPath } from "../../platform/files.ts";
import { isMacOS } from "../../platform/host.ts";
import { ownFile } from "../../platform/own_files.ts";
import { settingsPath } from "../../platform/settings_file.ts";
import { type CommandContext, type CommandLine, defineCommand } from "../command.ts";
import { applyChanges } from "../install/apply_changes.ts";
import type { AgentPlan } from "../install/settings_change.ts";
import { findAgents, type FoundAgent } from "../install/find_agents.ts";
import { type InstalledFile, readInstallRecord } from "../install/install_record.ts";
import { knownAgents } from "../install/known_agents.ts";
import { planInstall, skillName } from "../install/plan_install.ts";
import { planUndo } from "../install/plan_undo.ts";
import { renderPlans } from "../install/render_plans.ts";
import { serverCommand } from "../install/server_command.ts";
import { isFolder } from "../options/agent_options.ts";
import { choiceOption, collectValues, listValue, textValue } from "../options/option_values.ts";
import { Problems } from "../options/problems.ts";

const names = knownAgents.map(({ name }) => name);

export default defineCommand({
  configure(command) {
    command
      .option("--agent <name>", `only this agent (repeatable): ${names.join(", ")}`, collectValues)
      .option("--all", "all agents that are found, with one question in place of one each")
      .option("--project [folder]", "in the project's configuration (default: the present folder)")
      .option("--undo", "take out again what was installed")
      .option("--dry-run", "print what would change, without changing it")
      .option("-y, --yes", "do not ask");
  },
  async run(line, context) {
    const request = await readRequest(line, context);
    const record = await readInstallRecord(request.stateFolder);
    const plans = await planAll(request, record);
    const { stdout } = context;
    if (plans.every(({ changes }) => changes.length === 0)) {
      stdout.write(renderPlans(plans, stdout.colour));
      stdout.write("Nothing to change.\n");
      return 0;
    }
    if (request.dryRun) {
      stdout.write(`${renderPlans(plans, stdout.colour)}\nNothing was written: --dry-run\n`);
      return 0;
    }
    if (!request.yes && context.onKey === undefined) throw noTerminal();
    const groups = request.together ? [plans] : plans.map((plan) => [plan]);
    const accepted: AgentPlan[] = [];
    const seen = new Set<string>();
    for (const group of groups) {
      stdout.write(`${renderPlans(group, stdout.colour, seen)}\n`);
      const changes = group.flatMap(({ changes }) => changes);
      if (changes.length === 0) continue;
      if (request.yes || await confirmed(context)) accepted.push(...group);
    }
    const changes = accepted.flatMap(({ changes }) => changes);
    await applyChanges(changes, request.stateFolder, record);
    for (const { place, after } of changes) {
      stdout.write(`${after === undefined ? "removed" : "wrote"} ${settingsPath(place)}\n`);
    }
    stdout.write(closingLine(accepted, request.undo));
    return 0;
  },
});

interface InstallOptions {
  found: FoundAgent[];
  stateFolder: string;
  undo: boolean;
  dryRun: boolean;
  yes: boolean;
  /** One question for all agents. */
  together: boolean;
}

async function readRequest({ options }: CommandLine, { env }: CommandContext): Promise<InstallOptions> {
  const problems = new Problems();
  const wanted = listValue(options["agent"])
    .map((name) => choiceOption("--agent", name, names, problems));
  const asked = options["project"];
  const project = asked === undefined ? undefined : asked === true ? "." : textValue(asked);
  if (project !== undefined && !await isFolder(project)) problems.add(`--project: ${project} is no folder`);
  if (wanted.length > 0 && options["all"] === true) problems.add("--all and --agent exclude each other");
  problems.throwIfAny("Cannot install");
  const home = await realPath(env("HOME") || homedir());
  const root = project === undefined ? undefined : await realPath(resolve(project));
  const all = await findAgents({ home, env: (name) => env(name) || undefined, isMacOS }, root);
  const found = all.filter(({ agent }) => wanted.length === 0 || wanted.includes(agent.name));
  requireFound(found, wanted, root ?? home);
  return {
    found,
    stateFolder: env("PTH_HOME") || join(home, ".pth"),
    undo: options["undo"] === true,
    dryRun: options["dryRun"] === true,
    yes: options["yes"] === true,
    together: wanted.length > 0 || options["all"] === true || options["yes"] === true,
  };
}

function requireFound(
  found: readonly FoundAgent[],
  wanted: readonly (string | undefined)[],
  root: string,
): void {
  const missing = knownAgents.filter(({ name }) =>
    wanted.includes(name) && !found.some(({ agent }) => agent.name === name)
  );
  if (missing.length === 0 && found.length > 0) return;
  const which = (missing.length > 0 ? missing : knownAgents).map(({ title }) => title).join(", ");
  throw new PthError("TARGET_NOT_FOUND", `Cannot install: there is no ${which} here`, {
    next: [`Start it once, so that it makes its folder in ${root}, or put its program on PATH`],
  });
}

async function planAll({ found, undo }: InstallOptions, record: InstalledFile[]): Promise<AgentPlan[]> {
  const skill = await readTextFile(ownFile(`skills/${skillName}/SKILL.md`));
  const request = { server: await serverCommand(), skill, record };
  const plans: AgentPlan[] = [];
  for (const each of found) plans.push(await (undo ? planUndo : planInstall)(each, request));
  return plans;
}

const noTerminal = (): PthError =>
  new PthError("INVALID_INPUT", "Cannot ask before files are changed: stdin is no terminal", {
    next: ["Look first: pth install --dry-run", "Then install without a question: pth install --yes"],
  });

/** One key: everything but "y" is a no. @throws {PthError} `INTERRUPTED` */
async function confirmed({ stderr, onKey, onInterrupt }: CommandContext): Promise<boolean> {
  stderr.write("Write these changes? [y/N] ");
  const stops: (() => void)[] = [];
  try {
    const answer = await new Promise<string>((answered, refuse) => {
      stops.push(onInterrupt(() => refuse(new PthError("INTERRUPTED", "Interrupted: nothing was written"))));
      stops.push(onKey!(answered));
    });
    return answer.toLowerCase() === "y";
  } finally {
    for (const stop of stops) stop();
    stderr.write("\n");
  }
}

function closingLine(plans: readonly AgentPlan[], undo: boolean): string {
  const titles = plans.filter(({ changes }) => changes.length > 0).map(({ agent }) => agent.title);
  if (titles.length === 0) return "Nothing was written.\n";
  const way = undo ? "" : "pth install --undo takes it out again.\n";
  return `Restart ${titles.join(", ")} where ${titles.length === 1 ? "it runs" : "they run"}.\n${way}`;
}
