/** Options of `pth agent test`: which tests run, with which agent and model, and how many fixtures side by side. */
import type { Command } from "commander";
import type { EnvironmentConfig } from "../../../machines/model/environment.ts";
import type { AgentFixture } from "../../../machines/model/agent_fixture.ts";
import type { FixtureRunRequest } from "../../../machines/model/fixture_run.ts";
import type { RealModel } from "../../../machines/model/prompt_agent.ts";
import type { AgentDefinition } from "../../agents/adapters/agent.ts";
import { testsOnAgents } from "../../agent_fixtures/run/tests_on_agents.ts";
import { agentNamed } from "../../agents/adapters/agents.ts";
import type { RequestOptions, SuiteOptions } from "../../api/harness.ts";
import { definedOnly } from "../../core/values.ts";
import { folderProblem } from "../../platform/writable.ts";
import { cpuCount } from "../../platform/host.ts";
import type { CommandContext, CommandLine } from "../command.ts";
import { type ProgramChoice, programOf, readAgentName, readAgentProgram } from "../options/agent_options.ts";
import type { ChosenReporter } from "../options/choose_reporters.ts";
import { readRealModel } from "../options/model_options.ts";
import { textValue } from "../options/option_values.ts";
import type { Problems } from "../options/problems.ts";
import { addRetryOption, addRunOptions } from "../options/run_options.ts";
import { readStart } from "../options/start_options.ts";
import { readSuiteOptions } from "../options/suite_options.ts";
import { usualEnvironment } from "../options/usual_environment.ts";
import { refuseOthers } from "./model_source.ts";
import { readFixtureReporters, readPage } from "./report_options.ts";

export interface FixtureOptions {
  config: Partial<EnvironmentConfig>;
  force: boolean;
  asking: Pick<RequestOptions, "askConfig">;
  /** Whether the plugin's server is installed, built and started first. */
  load: boolean;
  suite: SuiteOptions;
  /** Number of fixtures side by side. */
  workers: number;
  /** Whether it stays after the run. */
  watch: boolean;
  /** Agent in place of those that the tests name. */
  agent?: AgentDefinition;
  choice: ProgramChoice;
  real?: RealModel;
  json: boolean;
  /** File of the page. */
  page?: string;
  /** Folder that takes the reports. */
  out?: string;
  reporters: ChosenReporter[];
}

export const addFixtureOptions = (command: Command): Command => addRunOptions(addRetryOption(command));

/** Reads and checks; everything that is wrong is added to the problems. */
export async function readFixtureOptions(
  line: CommandLine,
  context: CommandContext,
  problems: Problems,
): Promise<FixtureOptions> {
  const { operands: [action = "test", place, extra], options } = line;
  refuseOthers(action, options, problems);
  if (place === undefined) problems.add("name a folder with fixtures: pth agent test <folder>");
  if (extra !== undefined) problems.add("test takes no prompt: each test has its own");
  const env = textValue(options.env) ?? await usualEnvironment();
  const start = await readStart(
    { ...line, operands: ["."], options: { ...options, env } },
    context,
    problems,
  );
  const { workers: asked, ...suite } = readSuiteOptions(options, problems);
  const name = textValue(options.agent);
  const agent = name === undefined ? undefined : readAgentName(name, problems);
  const choice = await readAgentProgram(options, agent, problems);
  if (agent === undefined && choice.version !== undefined) {
    problems.add("--agent-version needs an agent: --agent <name>");
  }
  const real = readRealModel(options, problems);
  const inTurn = suite.bail !== undefined || real?.budget !== undefined;
  if (inTurn && typeof asked === "number" && asked > 1) {
    problems.add("--workers: with --bail, --fail-fast or a budget fixtures run one after the other");
  }
  const out = textValue(options.out);
  const outProblem = out === undefined ? undefined : await folderProblem(out);
  if (outProblem !== undefined) problems.add(`--out: cannot write to ${out}: ${outProblem}`);
  return {
    config: start.config,
    force: start.force,
    asking: start.asking,
    load: options.load === true,
    suite,
    workers: inTurn ? 1 : typeof asked === "number" ? asked : Math.min(2, cpuCount()),
    watch: options.watch === true,
    choice,
    json: options.json === true,
    reporters: await readFixtureReporters(options, true, problems),
    ...definedOnly({ agent, real, out, page: await readPage(options, problems) }),
  };
}

/** Tests with the agent that the command line names; what an agent cannot do for a test is added to the problems. */
export const withAgents = (
  fixtures: readonly AgentFixture[],
  { agent, real, choice }: Pick<FixtureOptions, "agent" | "real" | "choice">,
  problems: Problems,
): ReturnType<typeof testsOnAgents> =>
  testsOnAgents(
    fixtures,
    {
      agents: agent === undefined ? [] : [agent.name],
      command: choice.command,
      real: real !== undefined,
      commandLine: (name) => `the agent ${name} needs --agent ${name} and its command line`,
      noModel: "it has no playbook: add one, or name a real model with --upstream",
    },
    ({ file, line, id }, message) => problems.add(`${file}:${line} ${id}: ${message}`),
  );

/** Programs of the agents that tests run with. @throws {PthError} `TOOLCHAIN_MISSING` */
export async function programsFor(
  fixtures: readonly AgentFixture[],
  choice: ProgramChoice,
  tell: (text: string) => void,
): Promise<NonNullable<FixtureRunRequest["programs"]>> {
  const names = fixtures.flatMap(({ tests }) =>
    tests.filter(({ skip }) => skip === undefined).map(({ agent }) => agent)
  );
  const programs: NonNullable<FixtureRunRequest["programs"]> = {};
  for (const name of new Set(names)) {
    const program = await programOf(agentNamed(name), choice, tell);
    programs[name] = definedOnly({ program, command: choice.command });
  }
  return programs;
}
