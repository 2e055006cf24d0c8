/** From arguments to an exit code; the one place of the CLI where errors are caught. */
import { Command, CommanderError } from "commander";
import { asPthError } from "../core/errors.ts";
import { selfVersion } from "../platform/self_version.ts";
import type { CommandContext, CommandEntry } from "./command.ts";
import { commandList } from "./command_list.ts";
import { withCurrentNames } from "./with_current_names.ts";
import { renderTerminalError } from "./render_terminal_error.ts";
import { requireOpenFiles } from "../platform/host.ts";

/** Exit code for wrong use. */
const wrongUse = 2;

/**
 * Runs the CLI. Never throws: an error is printed on stderr and becomes the exit code (0 passed, 1 tests failed,
 * 2 wrong use or invalid input, 3 could not start, 130/143 interrupted).
 */
export async function runCli(args: readonly string[], context: CommandContext): Promise<number> {
  try {
    return await parseAndRun(args, context);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : wrongUse;
    const pthError = asPthError(error);
    context.stderr.write(
      renderTerminalError(pthError, { colour: context.stderr.colour, debug: !!context.env("PTH_DEBUG") }),
    );
    return pthError.exitCode;
  }
}

async function parseAndRun(args: readonly string[], context: CommandContext): Promise<number> {
  const separator = args.indexOf("--");
  const own = withCurrentNames(
    separator < 0 ? args : args.slice(0, separator),
    (text) => context.stderr.write(text),
  );
  const rest = separator < 0 ? [] : args.slice(separator + 1);
  let exitCode = 0;
  const program = await createProgram(context);
  for (const entry of commandList) {
    const command = program.command(entry.name).description(entry.summary);
    if (own.includes(entry.name)) {
      await configure(command, entry, rest, context, (code) => {
        exitCode = code;
      });
    }
  }
  if (own.length === 0) program.outputHelp();
  else await program.parseAsync(own, { from: "user" });
  return exitCode;
}

async function createProgram(context: CommandContext): Promise<Command> {
  const { stdout, stderr } = context;
  return new Command("pth")
    .description("Tests Claude Code plugins and MCP servers in real, isolated environments.")
    .version(await selfVersion(), "-v, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHelpWidth: () => stdout.columns(),
      getErrHelpWidth: () => stderr.columns(),
      getOutHasColors: () => stdout.colour,
      getErrHasColors: () => stderr.colour,
    })
    .showHelpAfterError("(see pth --help, or pth <command> --help)")
    .addHelpText(
      "after",
      `\nExit codes: 0 passed, 1 tests failed, 2 wrong use or invalid input, 3 could not start, 130/143 interrupted`,
    );
}

async function configure(
  command: Command,
  entry: CommandEntry,
  rest: string[],
  context: CommandContext,
  done: (code: number) => void,
): Promise<void> {
  const { default: definition } = await entry.load();
  definition.configure(command);
  command.action(async () => {
    requireOpenFiles();
    const line = { command: entry.name, operands: command.args, options: command.opts(), rest };
    done(await definition.run(line, context));
  });
}
