/** `pth generate`: a plugin's generated tests as YAML, to keep and to complete by hand. */
import { extname, join } from "node:path";
import { exists, stat, writeTextAtomically } from "../../platform/files.ts";
import { whyNotWritable } from "../../platform/writable.ts";
import { type CommandContext, type CommandLine, defineCommand } from "../command.ts";
import { Problems } from "../options/problems.ts";
import { withAskedSecrets } from "../options/secrets.ts";
import { addStartOptions, readStart, type StartRequest } from "../options/start_options.ts";
import { gather, list, text } from "../options/values.ts";
import { withLoadedPlugin } from "../with_loaded_plugin.ts";
import type { GeneratedTests } from "../../harness.ts";
import { count } from "../../values.ts";

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
    return await generate(await withAskedSecrets(start, context), line, file, context);
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
  const tools = list(line.options.tool);
  const includeHeldBack = line.options.includeHeldBack === true;
  const request = tools.length === 0 ? { includeHeldBack } : { includeHeldBack, tools };
  return await withLoadedPlugin(start, context, async (session, { signal, race }) => {
    await write(await race(session.generateTests(request, { signal })), file, context);
  });
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
  context.stderr.write(`${count(tests.length, "test")}${file === undefined ? "" : ` written to ${file}`}\n`);
}
