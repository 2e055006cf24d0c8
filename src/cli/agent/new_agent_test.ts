/** `pth agent new-test`: a test of a fixture from a session, with expectations proposed. */
import { basename, dirname, relative, resolve } from "node:path";
import type { AgentTrace } from "../../../machines/model/agent_session.ts";
import { proposeTest, type TestedSession } from "../../agent_fixtures/propose_test.ts";
import { PthError } from "../../core/errors.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import { pathExists, writeTextAtomically } from "../../platform/files.ts";
import { writableProblem } from "../../platform/writable.ts";
import { loadPlaybook } from "../../agents/playbook/load_playbook.ts";
import type { CommandContext, CommandLine } from "../command.ts";
import { textValue } from "../options/option_values.ts";
import { Problems } from "../options/problems.ts";
import { refuseOthers } from "./model_source.ts";
import { reportText } from "./report_options.ts";

/** @throws {PthError} `INVALID_INPUT` for a file that holds no session, and one that failed */
export async function newAgentTest(
  { operands: [action = "new-test", file, extra], options }: CommandLine,
  { stdout, stderr }: CommandContext,
): Promise<number> {
  const problems = new Problems();
  refuseOthers(action, options, problems);
  const out = textValue(options.out);
  const playbook = textValue(options.playbook);
  if (file === undefined) {
    problems.add("name a session: pth agent new-test <session.json> --out <tests/test_x.yaml>");
  }
  if (extra !== undefined) problems.add("new-test takes no prompt: it is the session's");
  if (out !== undefined) {
    const problem = await pathExists(out) ? "the file exists" : await writableProblem(out);
    if (problem !== undefined) problems.add(`--out: cannot write ${out}: ${problem}`);
    else if (!/^test_.*\.ya?ml$/.test(basename(out))) {
      problems.add(`--out: tests are called test_….yaml, not ${basename(out)}`);
    }
  }
  if (playbook !== undefined && !/\.(?:ya?ml|json)$/i.test(playbook)) {
    problems.add("--playbook: fixtures take playbooks in YAML and JSON");
  }
  problems.throwIfAny("Cannot propose a test");
  if (playbook !== undefined) await loadPlaybook(playbook);
  const session = sessionIn(file!, await reportText(file!));
  const { text, notes } = proposeTest(session, {
    id: idOf(out),
    ...(playbook === undefined ? {} : { playbook: pathFrom(out, playbook) }),
  });
  for (const note of notes) stderr.write(`Note: ${note}\n`);
  if (out === undefined) stdout.write(text);
  else {
    await writeTextAtomically(out, text);
    stderr.write(`Written to ${out}\n`);
  }
  return 0;
}

/** `tests/test_report.yaml` has the test `report-001`. */
const idOf = (out = "test_new.yaml"): string =>
  `${
    basename(out).replace(/^test_|\.ya?ml$/g, "").replaceAll(/[^\w.-]/g, "-").replace(/^[^A-Za-z0-9]+/, "") ||
    "new"
  }-001`;

/** Path as the fixture sees it: tests lie in its folder, or in `tests` there. */
function pathFrom(out: string | undefined, playbook: string): string {
  const folder = dirname(resolve(out ?? "test_new.yaml"));
  const fixture = basename(folder) === "tests" ? dirname(folder) : folder;
  const path = relative(fixture, resolve(playbook));
  return path.startsWith("..") ? basename(playbook) : path;
}

/** The result of `pth agent run --json`, its trace alone, or the report of an agent test. */
function sessionIn(file: string, text: string): TestedSession {
  const value = jsonIn(text);
  const refuse = (state: string) =>
    new PthError("INVALID_INPUT", `Cannot propose a test: ${file} ${state}`, {
      next: [{
        terminal: "Give what pth agent run … --json or --trace writes, or the report of an agent test",
      }],
    });
  if (!isObject(value)) throw refuse("is no JSON");
  if (isTrace(value)) return { trace: value, failures: [] };
  if (isTrace(value.trace)) {
    const failures = Array.isArray(value.failures) ? value.failures.map(String) : [];
    return {
      trace: value.trace,
      failures,
      ...(typeof value.agent === "string" ? { agent: value.agent } : {}),
    };
  }
  const { debug, execution, expectations } = value;
  if (isObject(debug) && isTrace(debug.trace)) {
    const session = Array.isArray(expectations)
      ? expectations.find((each) => isObject(each) && each.type === "session")
      : undefined;
    return {
      trace: debug.trace,
      failures: isObject(session) ? [String(session.failure_reason)] : [],
      ...(isObject(execution) && typeof execution.agent === "string" ? { agent: execution.agent } : {}),
    };
  }
  throw refuse("holds no trace of a session");
}

const isTrace = (value: unknown): value is AgentTrace =>
  isObject(value) && value.format === "pth-agent-trace/1" && Array.isArray(value.timeline) &&
  value.timeline.every((entry) => isObject(entry) && typeof entry.type === "string") &&
  Array.isArray(value.changes);
