/** `pth export-ci`: a plugin's tests as files that run in CI without PTH. */
import { folderProblem } from "../../platform/writable.ts";
import type { CiExport, Harness } from "../../harness.ts";
import { dispatch } from "../../testing/reporter.ts";
import { createProgress } from "../../testing/reporters/spec/progress.ts";
import { type CommandContext, defineCommand } from "../command.ts";
import type { Interruption } from "../interrupt.ts";
import { Problems } from "../options/problems.ts";
import { askSecrets } from "../options/secrets.ts";
import { addStartOptions, readStart, type StartRequest } from "../options/start_options.ts";
import { checkTests } from "../options/suite_options.ts";
import { text } from "../options/values.ts";
import { withHarness } from "../with_harness.ts";

interface ExportRequest {
  output: string;
  /** Absent: those in .pth/tests, and generated ones. */
  testsPath: string | undefined;
}

export default defineCommand({
  configure(command) {
    addStartOptions(command)
      .requiredOption(
        "--output <folder>",
        "folder that stands for the plugin's: gets .pth/ci and .github/workflows",
      )
      .option("--tests <path>", "file or folder of tests, in place of .pth/tests and generated ones");
  },
  async run(line, context) {
    const problems = new Problems();
    const start = await readStart(line, context, problems);
    const output = text(line.options.output) ?? "";
    const unwritable = await folderProblem(output);
    if (unwritable !== undefined) problems.add(`--output: cannot write to ${output}: ${unwritable}`);
    const testsPath = text(line.options.tests);
    const testProblem = await checkTests(testsPath);
    if (testProblem !== undefined) problems.add(testProblem.message);
    problems.throwIfAny("Cannot export tests");
    const secrets = await askSecrets(start.ask, context);
    const target = { ...start.target, secrets: { ...start.target.secrets, ...secrets } };
    return await exportCi({ ...start, target }, { output, testsPath }, context);
  },
});

async function exportCi(
  start: StartRequest,
  request: ExportRequest,
  context: CommandContext,
): Promise<number> {
  const progress = createProgress(context.stderr);
  return await withHarness(start, context, async (harness, interruption) => {
    const stopFollowing = harness.on((fact) => dispatch(progress.hooks, fact));
    try {
      const exported = await startAndExport(harness, start, request, interruption);
      context.stdout.write(describe(exported));
      return 0;
    } catch (error) {
      const interrupted = interruption.exitCode();
      if (interrupted === undefined) throw error;
      return interrupted;
    } finally {
      stopFollowing();
      progress.live.show(undefined);
    }
  });
}

async function startAndExport(
  harness: Harness,
  start: StartRequest,
  { output, testsPath }: ExportRequest,
  { signal, race }: Interruption,
): Promise<CiExport> {
  await race(harness.startSession(start.target, { signal, mode: "run", force: start.force }));
  const session = harness.session();
  await race(session.provision(start.config, { signal }));
  await race(session.load({}, { signal, ...start.asking }));
  if (testsPath === undefined) await race(session.generateTests({}, { signal }));
  else await race(session.useTests(testsPath));
  return await race(session.exportCi({ output }, { signal }));
}

const describe = ({ folder, tests, written, secrets }: CiExport): string =>
  [
    `${tests} tests exported to ${folder}`,
    ...written.map((path) => `  ${path}`),
    ...(secrets.length === 0 ? [] : [`Secrets that the CI job needs: ${secrets.join(", ")}`]),
    "To try it there: npm install --prefix .pth/ci && node .pth/ci/run-tests.mjs",
    "",
  ].join("\n");
