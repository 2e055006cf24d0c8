/** `pth contract`: a server's surface as a file, and what changed between two. */
import { Argument } from "commander";
import type { ServerSurface } from "../../../machines/model/contract.ts";
import { changeRow, changesSummary, countChanges } from "../../contract/changes_summary.ts";
import { compareSurfaces } from "../../contract/compare_surfaces.ts";
import { parseContractFile, writeContract } from "../../contract/contract_file.ts";
import { errorMessage, PthError } from "../../core/errors.ts";
import { readTextFile, writeTextAtomically } from "../../platform/files.ts";
import { writableProblem } from "../../platform/writable.ts";
import { type CommandContext, type CommandLine, defineCommand } from "../command.ts";
import { Problems } from "../options/problems.ts";
import { withAskedSecrets } from "../options/secrets.ts";
import { addStartOptions, readStart, type StartRequest } from "../options/start_options.ts";
import { choiceOption, textValue } from "../options/option_values.ts";
import { withLoadedPlugin } from "../with_loaded_plugin.ts";
import { count } from "../../core/text.ts";

export default defineCommand({
  configure(command) {
    command.addArgument(new Argument("<action>", "what to do").choices(["snapshot", "diff"]));
    addStartOptions(command)
      .argument("[new]", "diff: the newer surface: a contract (.json) or a target")
      .usage("[options] snapshot <target> | diff <old.json> <new.json | target> [-- server arguments]")
      .option("--output <file>", "snapshot: write the contract here (default: stdout)")
      .option("--format <name>", "diff: text or json (default: text)")
      .addHelpText("after", "\ndiff exits with 1 if a change is breaking.");
  },
  async run(line, context) {
    const [action, ...operands] = line.operands;
    return action === "snapshot"
      ? await snapshot(line, operands, context)
      : await diff(line, operands, context);
  },
});

async function snapshot(line: CommandLine, operands: string[], context: CommandContext): Promise<number> {
  const problems = new Problems();
  const start = await readStart({ ...line, operands }, context, problems);
  const file = textValue(line.options.output);
  const unwritable = file === undefined ? undefined : await writableProblem(file);
  if (unwritable !== undefined) problems.add(`--output: cannot write ${file}: ${unwritable}`);
  if (operands.length > 1) problems.add(`snapshot takes one target: unexpected "${operands[1]}"`);
  if (line.options.format !== undefined) problems.add("--format needs diff");
  problems.throwIfAny("Cannot read the tool surface");
  const { surface, exitCode } = await surfaceOf(await withAskedSecrets(start, context), context);
  if (surface === undefined) return exitCode;
  if (file === undefined) context.stdout.write(writeContract(surface));
  else await writeTextAtomically(file, writeContract(surface));
  const where = file === undefined ? "" : ` written to ${file}`;
  context.stderr.write(`Contract of ${count(surface.tools.length, "tool")}${where}\n`);
  return exitCode;
}

async function diff(line: CommandLine, operands: string[], context: CommandContext): Promise<number> {
  const [old, newer, ...more] = operands;
  const problems = new Problems();
  if (old === undefined) problems.add("diff needs a contract to compare with");
  for (const one of more) problems.add(`diff compares two surfaces: unexpected "${one}"`);
  if (line.options.output !== undefined) problems.add("--output needs snapshot; diff writes to stdout");
  const format = choiceOption("--format", line.options.format, ["text", "json"], problems) ?? "text";
  const isFile = newer?.endsWith(".json") === true;
  const start = isFile ? undefined : await readStart(
    { ...line, operands: newer === undefined ? [] : [newer] },
    context,
    problems,
  );
  problems.throwIfAny("Cannot compare");
  const before = await contractIn(old!);
  const { surface: after, exitCode } = start === undefined
    ? { surface: await contractIn(newer!), exitCode: 0 }
    : await surfaceOf(await withAskedSecrets(start, context), context);
  if (after === undefined) return exitCode;
  const told = tell(before, after, format, context);
  // A run that was interrupted all the same is none that went well.
  return exitCode === 0 ? told : exitCode;
}

async function contractIn(file: string): Promise<ServerSurface> {
  let content: string;
  try {
    content = await readTextFile(file);
  } catch (error) {
    throw new PthError("INVALID_INPUT", `Cannot read contract ${file}: ${errorMessage(error)}`, {
      next: [`Write one: pth contract snapshot <target> --output ${file}`],
    });
  }
  return parseContractFile(file, content);
}

/** Without a surface the run was interrupted. */
async function surfaceOf(
  start: StartRequest,
  context: CommandContext,
): Promise<{ surface?: ServerSurface; exitCode: number }> {
  let surface: ServerSurface | undefined;
  const exitCode = await withLoadedPlugin(start, context, async (session, { signal, race }) => {
    surface = await race(session.contract.surface({ signal }));
  });
  return { exitCode, ...(surface === undefined ? {} : { surface }) };
}

function tell(
  before: ServerSurface,
  after: ServerSurface,
  format: "text" | "json",
  { stdout }: CommandContext,
): number {
  const changes = compareSurfaces(before, after);
  const { breaking } = countChanges(changes);
  if (format === "json") {
    stdout.write(`${JSON.stringify({ format: "pth-contract-diff/1", breaking, changes }, null, 2)}\n`);
  } else stdout.write([...changes.map(changeRow), changesSummary(changes), ""].join("\n"));
  return breaking > 0 ? 1 : 0;
}
