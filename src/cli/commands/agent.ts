/** `pth agent`: an agent on a playbook or a real model with a plugin, turn by turn; or the agents of this machine. */
import { Argument } from "commander";
import type { AgentDefinition } from "../../agents/adapters/agent.ts";
import { cachedAgents } from "../../agents/adapters/agent_versions.ts";
import { agents, findAgent } from "../../agents/adapters/agents.ts";
import { pluginParts } from "../../agents/adapters/plugin_parts.ts";
import { errorMessage } from "../../core/errors.ts";
import { definedOnly } from "../../core/values.ts";
import { writableProblem } from "../../platform/writable.ts";
import { readAgentCommand, withAgentSession } from "../agent/with_agent_session.ts";
import { evaluate } from "../agent/evaluate.ts";
import { addFixtureOptions } from "../agent/fixture_options.ts";
import { readModelSource } from "../agent/model_source.ts";
import { readNewEval } from "../agent/new_eval.ts";
import { newAgentTest } from "../agent/new_agent_test.ts";
import { renderAgentSession } from "../agent/render_agent_session.ts";
import { report } from "../agent/report.ts";
import { testFixtures } from "../agent/test_fixtures.ts";
import { writeSessionFiles } from "../agent/write_session_files.ts";
import { type CommandContext, type CommandLine, defineCommand } from "../command.ts";
import { addProgramOptions } from "../options/agent_options.ts";
import { addModelOptions } from "../options/model_options.ts";
import { collectValues, positiveOption, textValue } from "../options/option_values.ts";
import { Problems } from "../options/problems.ts";

const defaultTimeoutSeconds = 300;

const usages = {
  run: "name a plugin: pth agent run <plugin> --playbook <file> <prompt>",
  record: "name a plugin: pth agent record <plugin> --upstream <url> <prompt>",
  replay: "name a plugin: pth agent replay <plugin> <recorded playbook>",
  "new-eval": "name a plugin: pth agent new-eval <plugin> --playbook <file> <prompt>",
};

export default defineCommand({
  configure(command) {
    addModelOptions(addFixtureOptions(addProgramOptions(command)))
      .addArgument(
        new Argument(
          "<action>",
          "run: an agent on a playbook or a real model; record: on a real model, as a playbook; replay: on a recorded playbook; " +
            "test: fixtures of agent tests; new-test: a test from a session; eval: Claude Code's evals of the plugin; " +
            "new-eval: a new one from a session; report: saved reports of agent tests as a page; " +
            "list: agents of this machine",
        ).choices(["run", "record", "replay", "test", "new-test", "eval", "new-eval", "report", "list"]),
      )
      .argument(
        "[plugin]",
        "the plugin's folder, or npm:<package>[@version]; of test a folder with fixtures, or the file of a test; " +
          "of report a JSON report; of new-test what run --json or --trace has written",
      )
      .argument(
        "[prompt]",
        "what the agent is asked; a command such as /my-plugin:greet Bob, too; of replay the recorded playbook",
      )
      .argument("[more...]", "of report more of them")
      .option(
        "--playbook <file>",
        "turns that are played in the model's place: YAML, JSON, or a program that exports them; of eval also a folder with <case>.yaml for each",
      )
      .option(
        "--agent <name>",
        `agent: ${agents.map(({ name }) => name).join(", ")} (default: claude; of replay the recorded one)`,
      )
      .option(
        "--out <path>",
        "for record and new-eval: the playbook to write (default: recorded.yaml); for test: a folder for the reports and their pages; for new-test: the test file (default: stdout)",
      )
      .option("--accept-drift", "for replay: pass, too, where requests are not as they were recorded")
      .option(
        "--update",
        "for replay: accept the drift, and write how the requests are now into the playbook",
      )
      .option("--case <glob>", "for eval: only cases of such names")
      .option("--grep <regex>", "for test and eval: only tests and cases whose name or id matches")
      .option("--tag <tag>", "for test and eval: only tests and cases with this tag")
      .option(
        "--runs <number>",
        "for eval: sessions of each case (default: as many as the case says, else 1)",
      )
      .option("--name <name>", "for new-eval: folder of the case (default: words of the prompt)")
      .option(
        "--workers <number>",
        "for test: fixtures side by side (default: 2); for eval: sessions (default: 1)",
      )
      .option("--watch", "for test: stay after the run, and run fixtures again whose files change")
      .option(
        "--by <runner>",
        "for eval: who runs and judges the cases: pth, or agent, which is `claude plugin eval` (default: pth)",
      )
      .option("--html <file>", "for report and test: the page to write")
      .option(
        "--earlier <report>",
        "for report and test: JSON report of an earlier run, for the trend (repeatable)",
        collectValues,
      )
      .option("--test <id>", "for report: this test alone")
      .option("--assessment <file>", "for report: judgement of the test in Markdown, for its page")
      .option(
        "--reporter <name[:file]>",
        "for report and test: junit, tap, github, markdown or spec, to stdout or a file (repeatable)",
        collectValues,
      )
      .option("--env <name>", "environment (default: sandbox where it is ready, else host)")
      .option("--image <name>", "base image of the environment, for example debian12")
      .option(
        "--network <mode>",
        "none (own loopback only) or host (this machine's network); default: the runtime's own",
      )
      .option("--project <folder>", "folder of which the agent works in a copy (default: an empty one)")
      .option("--load", "first install, build and start the plugin's server, as pth run does")
      .option("--timeout <seconds>", `limit of the whole session (default: ${defaultTimeoutSeconds})`)
      .option("--trace <file>", "write the trace to this file, as JSON")
      .option("--json", "print the result as JSON")
      .option("--record <file>", "record all actor events as JSON lines")
      .option("--force", "take over the session lock even if its owner is still running");
  },
  async run(line, context) {
    const [action] = line.operands;
    if (action === "report") return await report(line, context);
    refuseMore(line);
    if (action === "list") return await list(line, context);
    if (action === "test") return await testFixtures(line, context);
    if (action === "new-test") return await newAgentTest(line, context);
    return action === "eval" ? await evaluate(line, context) : await run(line, context);
  },
});

/** Refuses more operands than the action takes: reports alone may be several. */
function refuseMore({ operands: [action, , , ...more], options }: CommandLine): void {
  const problems = new Problems();
  if (more.length > 0) {
    problems.add(`${action} takes no ${JSON.stringify(more[0])}: quote a prompt of several words`);
  }
  const ofReport = action === "test" ? ["test", "assessment"] : [
    "html",
    "earlier",
    "test",
    "assessment",
    "reporter",
  ];
  for (const option of ofReport) {
    if (options[option] !== undefined) problems.add(`--${option} is for report alone`);
  }
  problems.throwIfAny(`Cannot ${action === "list" ? "list agents" : "run the agent"}`);
}

async function list({ options }: CommandLine, { stdout }: CommandContext): Promise<number> {
  const allCached = await cachedAgents();
  const found = await Promise.all(agents.map(async (agent) => {
    const { name, summary, abilities } = agent;
    const cached = allCached.filter((each) => each.agent === name).map(({ version }) => version);
    try {
      return { name, summary, abilities, cached, ...await findAgent(agent) };
    } catch (error) {
      return { name, summary, abilities, cached, missing: errorMessage(error) };
    }
  }));
  if (options.json === true) stdout.write(`${JSON.stringify(found, undefined, 2)}\n`);
  else {
    for (const { name, summary, abilities, cached, ...agent } of found) {
      const lines = [
        "version" in agent && agent.version !== undefined
          ? `${agent.version}  ${agent.program}${agent.node === undefined ? "" : `  (Node ${agent.node})`}`
          : "missing" in agent
          ? agent.missing
          : undefined,
        cached.length === 0 ? undefined : `in PTH's cache: ${cached.join(", ")}`,
        abilitiesText(abilities),
      ];
      stdout.write(
        `${name}  ${summary}\n${lines.map((text) => text === undefined ? "" : `  ${text}\n`).join("")}`,
      );
    }
  }
  return 0;
}

function abilitiesText({ loads, api }: AgentDefinition["abilities"]): string {
  const rest = pluginParts.filter((part) => !loads.includes(part));
  const loaded = loads.length === 0 ? "loads nothing of a plugin" : `loads ${loads.join(", ")}`;
  const not = loads.length === 0 || rest.length === 0 ? "" : `; not ${rest.join(", ")}`;
  return `${loaded}${not}; asks by ${api === undefined ? "any model API" : `the API ${api}`}`;
}

async function run(line: CommandLine, context: CommandContext): Promise<number> {
  const { operands: [action, plugin], options } = line;
  const problems = new Problems();
  if (plugin === undefined) problems.add(usages[action as keyof typeof usages]);
  const source = await readModelSource(line, problems);
  const { prompt } = source;
  if (prompt === undefined || prompt.trim() === "") problems.add("give a prompt after the plugin");
  const newEval = action === "new-eval" ? await readNewEval(line, problems) : undefined;
  const timeout = positiveOption("--timeout", options.timeout, problems, "number") ?? defaultTimeoutSeconds;
  const traceFile = textValue(options.trace);
  const unwritable = traceFile === undefined ? undefined : await writableProblem(traceFile);
  if (unwritable !== undefined) problems.add(`--trace: cannot write ${traceFile}: ${unwritable}`);
  const start = await readAgentCommand(line, source.agent, context, problems);
  problems.throwIfAny("Cannot run the agent");
  const playbook = await source.playbook();
  const agent = await start.findAgent();
  return await withAgentSession(start, context, async (session, { signal, race }, progress) => {
    const model = textValue(options.model);
    const request = {
      ...agent,
      ...(model === undefined ? {} : { model }),
      prompt: prompt!,
      playbook,
      ...source.model,
      acceptDrift: source.acceptDrift,
      timeoutMs: timeout * 1000,
      ...(start.project === undefined ? {} : { project: start.project }),
    };
    const { recorded, ...result } = await race(session.agents.run(request, { signal }));
    progress.live.show(undefined);
    context.stdout.write(
      options.json === true
        ? `${JSON.stringify(result, undefined, 2)}\n`
        : renderAgentSession(result, playbook.recorded),
    );
    const files = { ...source, trace: traceFile };
    const written = await writeSessionFiles(files, { trace: result.trace, ...definedOnly({ recorded }) });
    if (written !== undefined) context.stderr.write(`${written}\n`);
    if (result.failures.length > 0) return 1;
    if (newEval !== undefined) context.stderr.write(await newEval.write(result));
    return 0;
  });
}
