/** `pth agent eval`: Claude Code's evals of a plugin on playbooks, by PTH or by Claude Code's own runner. */
import { resolve } from "node:path";
import type { AgentSessionRequest, AgentSessionResult } from "../../../machines/model/agent_session.ts";
import type { Playbook } from "../../../machines/model/playbook.ts";
import type { PlaybookChoice } from "../../../machines/model/prompt_agent.ts";
import { fitsGlob } from "../../../machines/playbook/fits_glob.ts";
import type { EvalCase } from "../../agents/evals/eval_case.ts";
import type { EvalCaseResult, EvalReport } from "../../agents/evals/eval_result.ts";
import { readEvals } from "../../agents/evals/read_evals.ts";
import { runCaseByClaude } from "../../agents/evals/run_case_by_claude.ts";
import { type EvalAgent, runCase } from "../../agents/evals/run_case.ts";
import { loadPlaybooks } from "../../agents/playbook/load_playbooks.ts";
import { PthError } from "../../core/errors.ts";
import { definedOnly } from "../../core/values.ts";
import { dispatch } from "../../testing/reporter.ts";
import { createProgress } from "../../testing/reporters/spec/spec_progress.ts";
import type { CommandContext, CommandLine } from "../command.ts";
import { isFolder, programOf, readAgentName, readAgentProgram } from "../options/agent_options.ts";
import { textValue } from "../options/option_values.ts";
import { Problems } from "../options/problems.ts";
import { readStart } from "../options/start_options.ts";
import { usualEnvironment } from "../options/usual_environment.ts";
import { withHarness } from "../with_harness.ts";
import { refuseOthers } from "./model_source.ts";
import { renderEvals } from "./render_evals.ts";

/** @throws {PthError} for evals and playbooks that cannot be read; nothing has started then */
export async function evaluate(line: CommandLine, context: CommandContext): Promise<number> {
  const { operands: [action = "eval", plugin, extra], options } = line;
  const problems = new Problems();
  refuseOthers(action, options, problems);
  const place = textValue(options.playbook);
  const by = textValue(options.by) ?? "pth";
  const env = textValue(options.env) ?? await usualEnvironment();
  const project = textValue(options.project);
  if (plugin === undefined) {
    problems.add("name a plugin: pth agent eval <plugin> --playbook <file or folder>");
  } else if (!await isFolder(plugin)) problems.add(`evals are read from a folder, and ${plugin} is none`);
  if (extra !== undefined) problems.add("eval takes no prompt: each case has its own");
  if (place === undefined) {
    problems.add("--playbook: name a file of turns, or a folder with one for each case");
  }
  if (by !== "pth" && by !== "agent") problems.add(`--by expects pth or agent, not "${by}"`);
  for (const option of ["trace", "timeout"]) {
    if (options[option] !== undefined) problems.add(`--${option} is not for eval`);
  }
  if (by === "agent" && project !== undefined) problems.add("--project: each case has a folder of its own");
  if (project !== undefined && !await isFolder(project)) {
    problems.add(`--project: there is no folder ${project}`);
  }
  const start = await readStart(
    { ...line, operands: [plugin ?? "."], options: { ...options, env } },
    context,
    problems,
  );
  const agent = readAgentName(textValue(options.agent) ?? "claude", problems);
  if (by === "agent" && agent !== undefined && agent.name !== "claude") {
    problems.add(`--by agent: claude alone runs evals by itself, not ${agent.name}`);
  }
  const choice = await readAgentProgram(options, agent, problems);
  problems.throwIfAny("Cannot run evals");
  const suite = await readEvals(resolve(plugin!));
  const cases = chosenCases(suite.cases, textValue(options.case));
  const playbooks = await loadPlaybooks(place!);
  const program = await programOf(agent!, choice, (text) => context.stderr.write(text));
  const worker: EvalAgent = {
    agent: agent!.name,
    ...definedOnly({ program, command: choice.command }),
    ...(project === undefined ? {} : { project: resolve(project) }),
  };
  const progress = createProgress(context.stderr);
  return await withHarness(start, context, async (harness, { signal, race, exitCode }) => {
    const stopFollowing = harness.on((fact) => dispatch(progress.hooks, fact));
    try {
      await race(harness.startSession(start.target, { signal, mode: "run", force: start.force }));
      const session = harness.session();
      await race(session.environment.provision(start.config, { signal }));
      if (options.load === true) await race(session.plugin.load({}, { signal, ...start.asking }));
      let version: string | undefined;
      const run = async (request: AgentSessionRequest): Promise<AgentSessionResult> => {
        const result = await race(session.agents.run(request, { signal }));
        version = result.version;
        return result;
      };
      const results: EvalCaseResult[] = [];
      for (const each of cases) {
        const playbook = playbookOf(each, playbooks);
        results.push(
          by === "agent"
            ? await runCaseByClaude(each, playbook, program, env !== "host", run)
            : await runCase(each, playbook, worker, run),
        );
      }
      progress.live.show(undefined);
      const report: EvalReport = {
        by,
        agent: worker.agent,
        version,
        cases: results,
        warnings: by === "pth" && suite.mocked.length > 0
          ? [`mocks are not used: ${suite.mocked.join(", ")} answered as the plugin has it`]
          : [],
      };
      context.stdout.write(
        options.json === true ? `${JSON.stringify(report, undefined, 2)}\n` : renderEvals(report),
      );
      return results.every(({ status }) => status === "passed") ? 0 : 1;
    } catch (error) {
      const interrupted = exitCode();
      if (interrupted === undefined) throw error;
      return interrupted;
    } finally {
      stopFollowing();
      progress.live.show(undefined);
    }
  });
}

function chosenCases(cases: readonly EvalCase[], glob: string | undefined): readonly EvalCase[] {
  const chosen = glob === undefined ? cases : cases.filter(({ name }) => fitsGlob(glob, name));
  if (chosen.length > 0) return chosen;
  throw new PthError("NO_TESTS_MATCH", `Cannot run evals: no case is called ${glob}`, {
    next: [`There are: ${cases.map(({ name }) => name).join(", ")}`],
  });
}

function playbookOf({ name }: EvalCase, choice: PlaybookChoice): Playbook | undefined {
  if ("each" in choice) return choice.each;
  return "byTest" in choice && Object.hasOwn(choice.byTest, name) ? choice.byTest[name] : undefined;
}
