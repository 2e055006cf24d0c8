/** `pth agent eval`: Claude Code's evals of a plugin on playbooks, by PTH or by Claude Code's own runner. */
import { resolve } from "node:path";
import { evalRunners, mostEvalRuns } from "../../../machines/model/eval_request.ts";
import { chooseCases } from "../../agents/evals/choose_cases.ts";
import { runnerProblems } from "../../agents/evals/plan_case.ts";
import { readEvals } from "../../agents/evals/read_evals.ts";
import { loadPlaybooks } from "../../agents/playbook/load_playbooks.ts";
import { definedOnly } from "../../core/values.ts";
import type { CommandContext, CommandLine } from "../command.ts";
import { isFolder } from "../options/agent_options.ts";
import { choiceOption, positiveOption, textValue } from "../options/option_values.ts";
import { Problems } from "../options/problems.ts";
import { readRegex } from "../options/suite_options.ts";
import { readAgentCommand, withAgentSession } from "./with_agent_session.ts";
import { refuseOthers } from "./model_source.ts";
import { renderEvals } from "./render_evals.ts";

/** @throws {PthError} for evals and playbooks that cannot be read; nothing has started then */
export async function evaluate(line: CommandLine, context: CommandContext): Promise<number> {
  const { operands: [action = "eval", plugin, extra], options } = line;
  const problems = new Problems();
  refuseOthers(action, options, problems);
  const books = textValue(options.playbook);
  if (plugin === undefined) {
    problems.add("name a plugin: pth agent eval <plugin> --playbook <file or folder>");
  } else if (!await isFolder(plugin)) problems.add(`evals are read from a folder, and ${plugin} is none`);
  if (extra !== undefined) problems.add("eval takes no prompt: each case has its own");
  if (books === undefined) {
    problems.add("--playbook: name a file of turns, or a folder with one for each case");
  }
  const by = choiceOption("--by", options.by, evalRunners, problems) ?? "pth";
  const runs = positiveOption("--runs", options.runs, problems, "whole number");
  if (runs !== undefined && runs > mostEvalRuns) {
    problems.add(`--runs expects at most ${mostEvalRuns}, not ${runs}`);
  }
  const workers = positiveOption("--workers", options.workers, problems, "whole number") ?? 1;
  const filter = definedOnly({
    case: textValue(options.case),
    tag: textValue(options.tag),
    grep: readRegex(options.grep, problems),
  });
  const start = await readAgentCommand(line, undefined, context, problems);
  const place = definedOnly({ project: start.project });
  for (const problem of runnerProblems({ by, ...place }, start.agent)) {
    problems.add(`--by agent: ${problem}`);
  }
  problems.throwIfAny("Cannot run evals");
  // The session reads them from its own copy; mistakes are told before it starts.
  chooseCases((await readEvals(resolve(plugin!))).cases, filter);
  const playbooks = await loadPlaybooks(books!);
  const agent = await start.findAgent();
  return await withAgentSession(start, context, async (session, { signal, race }, progress) => {
    const request = {
      agent: { ...agent, playbooks },
      by,
      filter,
      workers,
      ...place,
      ...definedOnly({ runs }),
    };
    const report = await race(session.agents.evaluate(request, { signal }));
    progress.live.show(undefined);
    context.stdout.write(
      options.json === true ? `${JSON.stringify(report, undefined, 2)}\n` : renderEvals(report),
    );
    return report.cases.every(({ status }) => status === "passed") ? 0 : 1;
  });
}
