/** `pth generate`: a plugin's generated tests as YAML, to keep and to complete by hand. */
import { extname, join } from "node:path";
import { exists, stat, writeTextAtomically } from "../../platform/files.ts";
import { whyNotWritable } from "../../platform/writable.ts";
import { createProgress } from "../../testing/reporters/spec/progress.ts";
import { dispatch } from "../../testing/reporter.ts";
import { type CommandContext, type CommandLine, defineCommand } from "../command.ts";
import type { Interruption } from "../interrupt.ts";
import { Problems } from "../options/problems.ts";
import { askSecrets } from "../options/secrets.ts";
import { addStartOptions, readStart, type StartRequest } from "../options/start_options.ts";
import { gather, list, text } from "../options/values.ts";
import { withHarness } from "../with_harness.ts";
import type { GeneratedTests, Harness } from "../../harness.ts";

export default defineCommand({
  configure(command) {
    addStartOptions(command)
      .option("--output <path>", "file, or folder for generated.yaml (default: stdout)")
      .option("--tool <name>", "only for this tool (repeatable)", gather)
      .option("--include-held-back", "also for tools that call themselves destructive or open-world");
  },
  async run(line, context) {
    const problems = new Problems();
    const start = await readStart(line, context, problems);
    const file = await outputFile(text(line.options.output), problems);
    problems.throwIfAny("Cannot generate tests");
    const secrets = await askSecrets(start.ask, context);
    const target = { ...start.target, secrets: { ...start.target.secrets, ...secrets } };
    return await generate({ ...start, target }, line, file, context);
  },
});

/** A path without a YAML ending is a folder. */
async function outputFile(output: string | undefined, problems: Problems): Promise<string | undefined> {
  if (output === undefined) return undefined;
  const isFolder = await exists(output)
    ? (await stat(output)).isDirectory
    : ![".yaml", ".yml"].includes(extname(output));
  const file = isFolder ? join(output, "generated.yaml") : output;
  const problem = await whyNotWritable(file);
  if (problem !== undefined) problems.add(`--output: cannot write ${file}: ${problem}`);
  return file;
}

async function generate(
  start: StartRequest,
  line: CommandLine,
  file: string | undefined,
  context: CommandContext,
): Promise<number> {
  const progress = createProgress(context.stderr);
  return await withHarness(start, context, async (harness, interruption) => {
    const stopFollowing = harness.on((fact) => dispatch(progress.hooks, fact));
    try {
      const generated = await startAndGenerate(harness, start, line, interruption);
      await write(generated, file, context);
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

async function startAndGenerate(
  harness: Harness,
  start: StartRequest,
  { options }: CommandLine,
  { signal, race }: Interruption,
): Promise<GeneratedTests> {
  await race(harness.startSession(start.target, { signal, mode: "run", force: start.force }));
  const session = harness.session();
  await race(session.provision(start.config, { signal }));
  await race(session.load({}, { signal, ...start.asking }));
  const tools = list(options.tool);
  const includeHeldBack = options.includeHeldBack === true;
  const request = tools.length === 0 ? { includeHeldBack } : { includeHeldBack, tools };
  return await race(session.generateTests(request, { signal }));
}

async function write(
  { tests, heldBack }: GeneratedTests,
  file: string | undefined,
  context: CommandContext,
): Promise<void> {
  const { serializeTests } = await import("../../testing/serialize.ts");
  const yaml = serializeTests(tests);
  if (file === undefined) context.stdout.write(yaml);
  else await writeTextAtomically(file, yaml);
  for (const { tool, reason } of heldBack) {
    context.stderr.write(`Held back ${tool}: ${reason} (--include-held-back)\n`);
  }
  context.stderr.write(`${tests.length} tests${file === undefined ? "" : ` written to ${file}`}\n`);
}
