/** `pth generate`: a plugin's generated tests as YAML, to keep and to complete by hand. */
import { addDestructiveOptions, readDestructive } from "../options/destructive_options.ts";
import { extname, join } from "node:path";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { pathExists, stat } from "../../platform/files.ts";
import { writableProblem } from "../../platform/writable.ts";
import { type CommandContext, type CommandLine, defineCommand } from "../command.ts";
import { noProposals, type Signals } from "../no_proposals.ts";
import { type OpenSuite, openSuite } from "../open_suite.ts";
import { collectValues, listValue, readMaxTests, readSignals, textValue } from "../options/option_values.ts";
import { learnedOption } from "../options/learned_option.ts";
import { Problems } from "../options/problems.ts";
import { withAskedSecrets } from "../options/secrets.ts";
import { addStartOptions, readStart } from "../options/start_options.ts";
import { renderTable } from "../render_table.ts";
import { withLoadedPlugin } from "../with_loaded_plugin.ts";
import type { GeneratedTests, GenerateOptions } from "../../api/harness.ts";
import { newTests } from "../../testing/generate/generate_tests.ts";
import { signals } from "../../testing/generator.ts";
import { definedOnly } from "../../core/values.ts";
import { count } from "../../core/text.ts";

export default defineCommand({
  configure(command) {
    addDestructiveOptions(addStartOptions(command))
      .option("--output <path>", "file to append to, or folder for generated.yaml (default: stdout)")
      .option(
        "--from <signal>",
        `${signals.join(", ")} (repeatable; default: all of them)`,
        collectValues,
      )
      .option("--learned <file>", "find inputs that refusing tools accept, and keep them in this file")
      .option("--tool <name>", "only for this tool (repeatable)", collectValues)
      .option("--max-tests <number>", "at most N input tests from schemas (default: 2500)");
  },
  async run(line, context) {
    const problems = new Problems();
    const start = await readStart(line, context, problems);
    const file = await outputFile(textValue(line.options.output), problems);
    const from = readSignals("--from", line.options.from, problems) ?? [...signals];
    const maxTests = readMaxTests(line.options.maxTests, problems);
    const learned = await learnedOption(line.options, problems);
    problems.throwIfAny("Cannot generate tests");
    const suite = file === undefined ? undefined : await openSuite(file);
    const request = { from, ...requestOf(line), ...definedOnly({ maxTests }) };
    return await withLoadedPlugin(
      await withAskedSecrets(start, context),
      context,
      async (session, { signal, race }) => {
        if (learned !== undefined) {
          const { tools, includeHeldBack } = request;
          await race(
            session.tests.learn({ output: learned, ...definedOnly({ tools, includeHeldBack }) }, { signal }),
          );
        }
        await write(await race(session.tests.generate(request, { signal })), from, suite, context);
      },
    );
  },
});

/** A path without a YAML ending is a folder. */
async function outputFile(output: string | undefined, problems: Problems): Promise<string | undefined> {
  if (output === undefined) return undefined;
  const isFolder = await pathExists(output)
    ? (await stat(output)).isDirectory
    : ![".yaml", ".yml"].includes(extname(output));
  const file = isFolder ? join(output, "generated.yaml") : output;
  const problem = await writableProblem(file);
  if (problem !== undefined) problems.add(`--output: cannot write ${file}: ${problem}`);
  return file;
}

function requestOf({ options }: CommandLine): GenerateOptions {
  const tools = listValue(options.tool);
  const asked = definedOnly({ includeHeldBack: readDestructive(options) });
  return tools.length === 0 ? asked : { ...asked, tools };
}

async function write(
  generated: GeneratedTests,
  from: Signals,
  suite: OpenSuite | undefined,
  context: CommandContext,
): Promise<void> {
  const { serializeTests } = await import("../../testing/format/serialize_tests.ts");
  const { added, known } = newTests(generated.tests, suite?.tests ?? []);
  if (suite === undefined) context.stdout.write(serializeTests(added));
  else if (added.length > 0) await suite.add(serializeTests(added));
  for (const { tool, reason } of generated.heldBack) {
    context.stderr.write(`Excluded ${tool}: ${reason} (--include-destructive)\n`);
  }
  const counts = table(added, generated.known ?? {}, known);
  if (counts === "") return void context.stderr.write(noProposals(from));
  context.stderr.write(counts);
  const place = suite === undefined ? "" : ` written to ${suite.file}`;
  context.stderr.write(added.length === 0 ? "Nothing new\n" : `${count(added.length, "test")}${place}\n`);
}

type Counts = NonNullable<GeneratedTests["known"]>;

/** Renders the number of new tests by signal, and of proposals that the suite already contains. */
function table(added: readonly TestCase[], ...known: Counts[]): string {
  const rows = signals.flatMap((signal) => {
    const fresh = added.filter(({ generatedFrom }) => generatedFrom === signal).length;
    const old = known.reduce((sum, counts) => sum + (counts[signal] ?? 0), 0);
    return fresh + old === 0 ? [] : [[signal, String(fresh), String(old)]];
  });
  return rows.length === 0 ? "" : renderTable(["from", "new", "known"], rows);
}
