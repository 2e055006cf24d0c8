/** `pth hook fire`: the hooks of a plugin for one event, as Claude Code runs them. */
import { resolve } from "node:path";
import { problemLine } from "../../core/problems.ts";
import { visibleText } from "../../core/text.ts";
import { definedOnly } from "../../core/values.ts";
import { fireHooks, hasFault, type HookReport } from "../../hooks/fire_hooks.ts";
import { hookServers } from "../../hooks/hook_servers.ts";
import { readHooks } from "../../hooks/read_hooks.ts";
import { requireHooks } from "../../hooks/require_hooks.ts";
import { hostFolder } from "../../plugin/readable_folder.ts";
import type { CommandContext, CommandLine } from "../command.ts";
import { isFolder } from "../options/agent_options.ts";
import { listValue, textValue, variablesOption } from "../options/option_values.ts";
import { Problems } from "../options/problems.ts";
import { refuseOthersOf } from "./hook_test_options.ts";
import { readPayloads } from "./read_payloads.ts";
import { renderHookReport } from "./render_hook_report.ts";
import { readHookStart, withHookSession } from "./with_hook_session.ts";

/** Answers the exit code: 1 where a hook, or a definition, has a fault. @throws {PthError} for what cannot be fired */
export async function fireEvent(line: CommandLine, context: CommandContext): Promise<number> {
  const { operands: [, plugin, event], options } = line;
  const problems = new Problems();
  if (plugin === undefined || event === undefined) {
    problems.add("name a plugin and an event: pth hook fire <plugin> <event>");
  }
  refuseOthersOf("fire", options, problems);
  const start = await readHookStart(line, plugin, context, problems);
  const payloads = event === undefined ? [] : await readPayloads(event, options, problems);
  const env = variablesOption("--var", listValue(options.var), problems);
  const project = textValue(options.project);
  if (project !== undefined && !await isFolder(project)) {
    problems.add(`--project: there is no folder ${project}`);
  }
  problems.throwIfAny("Cannot fire hooks");
  const folder = hostFolder(resolve(plugin!));
  const definitions = await readHooks(folder);
  requireHooks(definitions, event!);
  await hookServers(folder, definitions);
  return await withHookSession(start, options.load === true, context, async ({ run, server }) => {
    const servers = await hookServers(folder, definitions, server);
    const reports: HookReport[] = [];
    for (const payload of payloads) {
      const firing = {
        event: event!,
        payload,
        env,
        ...definedOnly({ project: project && resolve(project) }),
      };
      reports.push(await fireHooks(definitions, firing, run, servers));
    }
    const mistakes = definitions.problems.map(problemLine);
    context.stdout.write(
      options.json === true
        ? `${JSON.stringify({ problems: definitions.problems, firings: reports }, undefined, 2)}\n`
        : [...mistakes.map((mistake) => `✖ ${visibleText(mistake)}\n`), ...reports.map(renderHookReport)]
          .join(""),
    );
    return mistakes.length > 0 || reports.some(hasFault) ? 1 : 0;
  });
}
