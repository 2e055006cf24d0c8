/** `pth export-ci`: a plugin's tests as files that run in CI without PTH. */
import { folderProblem } from "../../platform/writable.ts";
import type { CiExport, TestFiles } from "../../api/harness.ts";
import { type CommandContext, defineCommand } from "../command.ts";
import { Problems } from "../options/problems.ts";
import { withAskedSecrets } from "../options/secrets.ts";
import { addStartOptions, readStart, type StartRequest } from "../options/start_options.ts";
import { readTests } from "../options/suite_options.ts";
import { textValue } from "../options/option_values.ts";
import { withLoadedPlugin } from "../with_loaded_plugin.ts";
import { count } from "../../core/text.ts";

interface ExportRequest {
  output: string;
  /** Absent: those in .pth/tests, and generated ones. */
  tests: TestFiles | undefined;
}

export default defineCommand({
  configure(command) {
    addStartOptions(command)
      .requiredOption(
        "--output <folder>",
        "output folder (usually the plugin's); .pth/ci and .github/workflows are written there",
      )
      .option("--tests <path>", "test file or folder, instead of .pth/tests and generated tests");
  },
  async run(line, context) {
    const problems = new Problems();
    const start = await readStart(line, context, problems);
    const output = textValue(line.options.output) ?? "";
    const unwritable = await folderProblem(output);
    if (unwritable !== undefined) problems.add(`--output: cannot write to ${output}: ${unwritable}`);
    const { tests, problem: testProblem } = await readTests(textValue(line.options.tests));
    if (testProblem !== undefined) problems.add(testProblem.message);
    problems.throwIfAny("Cannot export tests");
    return await exportCi(await withAskedSecrets(start, context), { output, tests }, context);
  },
});

const exportCi = (
  start: StartRequest,
  { output, tests }: ExportRequest,
  context: CommandContext,
): Promise<number> =>
  withLoadedPlugin(start, context, async (session, { signal, race }) => {
    if (tests === undefined) await race(session.tests.generate({}, { signal }));
    else await race(session.tests.use(tests));
    context.stdout.write(describe(await race(session.export.ci({ output }, { signal }))));
  });

const describe = ({ folder, tests, standing, written, secrets }: CiExport): string =>
  [
    `${count(tests, "test")} exported to ${folder}`,
    ...(standing.state === "passed" ? [] : [`Not verified to pass: ${standing.text}`]),
    ...written.map((path) => `  ${path}`),
    ...(secrets.length === 0 ? [] : [`Secrets required by the CI job: ${secrets.join(", ")}`]),
    "To try it: npm install --prefix .pth/ci && node .pth/ci/run-tests.mjs",
    "",
  ].join("\n");
