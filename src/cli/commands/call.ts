/** `pth call`: one call of a plugin's tool, and its answer. */
import type { CallOutcome } from "../../../machines/model/plugin.ts";
import type { Session } from "../../api/harness.ts";
import { suggestion } from "../../core/did_you_mean.ts";
import { PthError } from "../../core/errors.ts";
import { escapeHidden, stripEscapes } from "../../core/text.ts";
import { definedOnly, isObject } from "../../core/values.ts";
import type { TextOutput } from "../../platform/terminal.ts";
import { callHeadline, contentRow, saysTheSame } from "../../tools/text/call_text.ts";
import { readArguments, toolInput } from "../call/tool_input.ts";
import { type CommandContext, type CommandLine, defineCommand } from "../command.ts";
import { positiveOption } from "../options/option_values.ts";
import { Problems } from "../options/problems.ts";
import { withAskedSecrets } from "../options/secrets.ts";
import { addStartOptions, readStart } from "../options/start_options.ts";
import { callingOnly, withLoadedPlugin } from "../with_loaded_plugin.ts";

export default defineCommand({
  configure(command) {
    addStartOptions(command)
      .argument("[tool]", "name of the tool; pth inspect lists them")
      .argument(
        "[arguments...]",
        "key=value, read by the tool's schema; key:=json; key=@file; or a JSON object",
      )
      .usage("[options] [target] <tool> [key=value …] [-- server arguments]")
      .option("--timeout <seconds>", "limit of the call (default: 120)")
      .option("--json", "print the whole answer as JSON")
      .addHelpText(
        "after",
        "\nExits with 1 if the tool answers an error, or breaks the protocol or its output schema.",
      );
  },
  async run(line, context) {
    const { target, tool, words } = operandsOf(line);
    const problems = new Problems();
    const start = await readStart(
      { ...line, operands: target === undefined ? [] : [target] },
      context,
      problems,
    );
    if (tool === undefined) problems.add("tool missing: pth inspect <target> lists them");
    const given = await readArguments(words, problems);
    const timeoutSeconds = positiveOption("--timeout", line.options.timeout, problems, "number");
    problems.throwIfAny("Cannot call a tool");
    const asked = await withAskedSecrets(start, context);
    let failed = false;
    const exitCode = await withLoadedPlugin(
      callingOnly(asked),
      context,
      async (session, { signal, race }) => {
        const input = toolInput(toolOf(session, tool!), given);
        const outcome = await race(
          session.plugin.call(tool!, input, { signal, ...definedOnly({ timeoutSeconds }) }),
        );
        failed = outcome.isError || outcome.kind === "rpc_error" || outcome.violations.length > 0;
        tell(tool!, outcome, line.options.json === true, context);
      },
    );
    return exitCode === 0 && failed ? 1 : exitCode;
  },
});

/** With a command or a URL the target may be absent: what stands before the first argument is then the tool. */
function operandsOf({ operands, options }: CommandLine) {
  const [first, second, ...more] = operands;
  const started = options.command !== undefined || options.url !== undefined;
  if (started && (second === undefined || /^\{|=/.test(second))) {
    return { tool: first, words: operands.slice(1) };
  }
  return { target: first, tool: second, words: more };
}

function toolOf(session: Session, name: string) {
  const tools = session.plugin.tools();
  const found = tools.find((tool) => tool.name === name);
  if (found !== undefined) return found;
  const names = tools.map((tool) => tool.name);
  throw new PthError("NO_SUCH_TOOL", `Cannot call ${name}: no such tool${suggestion(name, names)}`, {
    next: ["pth inspect <target> lists the tools with their fields"],
  });
}

/** The answer goes to stdout, an error and what is wrong with the answer to stderr; as JSON all to stdout. */
function tell(tool: string, outcome: CallOutcome, json: boolean, { stdout, stderr }: CommandContext): void {
  if (json) return stdout.write(`${escapeHidden(JSON.stringify({ tool, ...outcome }, null, 2))}\n`);
  const { kind, isError, text, content = [], structuredContent, raw, violations } = outcome;
  const bad = kind === "rpc_error" || isError;
  const rows = [
    text,
    ...content.map(contentRow),
    saysTheSame(text, structuredContent) ? "" : JSON.stringify(structuredContent, null, 2),
    kind === "rpc_error" && isObject(raw) && raw.data !== undefined ? JSON.stringify(raw.data) : "",
  ];
  if (bad) print(stderr, [callHeadline(tool, outcome)]);
  print(bad ? stderr : stdout, rows);
  print(stderr, violations.map((violation) => `Breach (${violation.kind}): ${violation.message}`));
}

/** A terminal gets no control characters of a server; a file or a pipe gets the answer as it is. */
function print(output: TextOutput, rows: readonly string[]): void {
  for (const row of rows.filter((row) => row !== "")) {
    const line = row.endsWith("\n") ? row : `${row}\n`;
    output.write(output.isTerminal ? stripEscapes(line) : line);
  }
}
