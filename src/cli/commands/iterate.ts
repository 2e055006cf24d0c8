/** `pth iterate`: test, diagnose, have a command fix it, reload, retest, until no test fails. */
import { defineCommand } from "../command.ts";
import { applyEntry } from "../../matrix/matrix_entries.ts";
import { iterateTarget } from "../iterate_target.ts";
import { addLoopOptions, readLoop } from "../options/loop_options.ts";
import { addMatrixOption, readMatrix } from "../options/matrix_options.ts";
import { Problems } from "../options/problems.ts";
import { withAskedSecrets } from "../options/secrets.ts";
import { addStartOptions, readStart } from "../options/start_options.ts";
import { addTestOptions, checkTests, readSuiteOptions } from "../options/suite_options.ts";
import { textValue } from "../options/option_values.ts";

const help = `
The fixer is run by sh on this machine, in the plugin's folder of the session's
worktree, once for each root cause. It reads the diagnosis as JSON on its
standard input and edits files or prints a patch; PTH commits what it did on the
session branch. Your checkout is never touched. More: docs/fixers.md.

Example:
  pth iterate ./my-plugin --env sandbox \\
    --fixer "my-agent --print 'Mend the fault that the JSON on stdin describes'"

Exit codes: 0 green, 1 tests still failing, 2 wrong use or invalid input,
3 could not start, 130/143 interrupted`;

export default defineCommand({
  configure(command) {
    addMatrixOption(addTestOptions(addLoopOptions(addStartOptions(command))))
      .option("--uncommitted", "start from uncommitted changes, too: they become the session's first commit")
      .option(
        "--verify-clean",
        "once green, run all tests again in a new environment; what fails there counts",
      )
      .option(
        "--pull-request",
        "also write title and text for a pull request to the branch (nothing is pushed)",
      )
      .addHelpText("after", help);
  },
  async run(line, context) {
    const problems = new Problems();
    const start = await readStart(line, context, problems);
    const loop = readLoop(line, problems);
    const { target: named, command, url } = start.target;
    if (named === undefined && (command ?? url) !== undefined && loop.resume === undefined) {
      problems.add("there is no source to fix: name the plugin's folder, or npm:<package>");
    }
    const suite = readSuiteOptions(line.options, problems);
    const testsPath = textValue(line.options.tests);
    const testProblem = await checkTests(testsPath);
    if (testProblem !== undefined) problems.add(testProblem.message);
    const matrix = await readMatrix(line.options, problems);
    if (matrix !== undefined && loop.resume !== undefined) {
      problems.add(
        "--matrix does not go with --resume: resume and iterate first, then verify in a session of its own",
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
      ...(testsPath === undefined ? {} : { testsPath }),
    };
    const config = matrix === undefined ? asked.config : applyEntry(matrix.entries[0]!, asked.config);
    return await iterateTarget({ ...asked, target, config }, request, context);
  },
});
