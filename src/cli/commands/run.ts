/** `pth run`: the whole way from a target to a verdict. */
import { definedOnly } from "../../core/values.ts";
import { defineCommand } from "../command.ts";
import { addMatrixOptions, readMatrix } from "../options/matrix_options.ts";
import { Problems } from "../options/problems.ts";
import { withAskedSecrets } from "../options/secrets.ts";
import { addStartOptions, readStart } from "../options/start_options.ts";
import { addSuiteOptions, readSuite, readTests } from "../options/suite_options.ts";
import { runTarget } from "../run_target.ts";
import { registry } from "../../testing/reporters/_registry.ts";

export default defineCommand({
  configure(command) {
    addMatrixOptions(addSuiteOptions(addStartOptions(command), registry));
  },
  async run(line, context) {
    const problems = new Problems();
    const start = await readStart(line, context, problems);
    const request = await readSuite(line, registry, problems);
    const { tests, problem: testProblem } = await readTests(request.testsPath);
    if (testProblem !== undefined && problems.empty) throw testProblem;
    if (testProblem !== undefined) problems.add(testProblem.message);
    if (request.watch && (start.target.target === undefined || start.target.target.startsWith("npm:"))) {
      problems.add("--watch needs a plugin's folder to watch");
    }
    const matrix = await readMatrix(line.options, problems);
    problems.throwIfAny("Cannot run");
    const asked = await withAskedSecrets(start, context);
    // A watch looks at the files first, and reads them then: it misses no change between the two.
    const known = { ...request, ...definedOnly({ tests: request.watch ? undefined : tests }) };
    if (matrix === undefined) return await runTarget(asked, known, context);
    const { runMatrix } = await import("../matrix/run_matrix.ts");
    return await runMatrix(asked, known, matrix, context);
  },
});
