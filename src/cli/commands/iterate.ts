/** `pth iterate`: test, diagnose, have a command fix it, reload, retest, until no test fails. */
import { definedOnly } from "../../core/values.ts";
import { defineCommand } from "../command.ts";
import { applyEntry } from "../../matrix/matrix_entries.ts";
import { iterateTarget } from "../iterate_target.ts";
import { readPromptAgent } from "../options/agent_options.ts";
import { addLoopOptions, readLoop } from "../options/loop_options.ts";
import { addMatrixOption, readMatrix } from "../options/matrix_options.ts";
import { readOwnTests } from "../options/own_test_options.ts";
import { Problems } from "../options/problems.ts";
import { withAskedSecrets } from "../options/secrets.ts";
import { addStartOptions, readStart } from "../options/start_options.ts";
import { addTestOptions, readSuiteOptions, readTests } from "../options/suite_options.ts";
import { textValue } from "../options/option_values.ts";

const help = `
The fixer is run by sh on this machine, in the plugin's folder of the session's
worktree, once for each root cause. It reads the diagnosis as JSON on its
standard input and edits files or prints a patch; PTH commits what it did on the
session branch. Your checkout is never touched. More: docs/fixers.md.

Example:
  pth iterate ./my-plugin --env sandbox \\
    --fixer "my-agent --print 'Fix the fault that the JSON on stdin describes'"

Exit codes: 0 all tests pass, 1 tests still fail, 2 wrong use or invalid input,
3 could not start, 130/143 interrupted`;

export default defineCommand({
  configure(command) {
    addMatrixOption(addTestOptions(addLoopOptions(addStartOptions(command))))
      .option("--uncommitted", "include uncommitted changes as the session's first commit")
      .option(
        "--verify-clean",
        "when all tests pass, run them again in a new environment; failures there count",
      )
      .option(
        "--pull-request",
        "also commit title and text of a pull request (nothing is pushed)",
      )
      .addHelpText("after", help);
  },
  async run(line, context) {
    const problems = new Problems();
    const start = await readStart(line, context, problems);
    const loop = readLoop(line, problems);
    const { target: named, command, url } = start.target;
    if (named === undefined && (command ?? url) !== undefined && loop.resume === undefined) {
      problems.add("no source to fix: give the plugin's folder, or npm:<package>");
    }
    const agent = await readPromptAgent(line.options, problems);
    const ownTests = await readOwnTests(line.options, problems);
    const suite = { ...readSuiteOptions(line.options, problems), ...definedOnly({ agent, ownTests }) };
    const { tests, problem: testProblem } = await readTests(textValue(line.options.tests));
    if (testProblem !== undefined) problems.add(testProblem.message);
    const matrix = await readMatrix(line.options, problems);
    if (matrix !== undefined && loop.resume !== undefined) {
      problems.add(
        "--matrix cannot be combined with --resume: resume and iterate first, then run the matrix in a new session",
      );
    }
    problems.throwIfAny("Cannot iterate");
    const asked = await withAskedSecrets(start, context);
    const target = { ...asked.target, uncommitted: line.options.uncommitted === true };
    const pullRequest = line.options.pullRequest === true;
    const verifyClean = line.options.verifyClean === true;
    const request = {
      ...loop,
      run: { ...loop.run, suite },
      pullRequest,
      verifyClean,
      ...(matrix === undefined ? {} : { matrix: matrix.entries }),
      ...definedOnly({ tests }),
    };
    const config = matrix === undefined ? asked.config : applyEntry(matrix.entries[0]!, asked.config);
    return await iterateTarget({ ...asked, target, config }, request, context);
  },
});
