/** `pth inspect`: what a server offers, with the fields of its tools. */
import type { ServerSurface } from "../../../machines/model/contract.ts";
import { writeContract } from "../../contract/contract_file.ts";
import { count, firstLine, oneLine, stripEscapes } from "../../core/text.ts";
import { isObject } from "../../core/values.ts";
import { fieldRows, toolFields } from "../call/tool_fields.ts";
import { defineCommand } from "../command.ts";
import { Problems } from "../options/problems.ts";
import { withAskedSecrets } from "../options/secrets.ts";
import { addStartOptions, readStart } from "../options/start_options.ts";
import { callingOnly, withLoadedPlugin } from "../with_loaded_plugin.ts";

export default defineCommand({
  configure(command) {
    addStartOptions(command)
      .option("--json", "print the whole surface as JSON, as pth contract snapshot does");
  },
  async run(line, context) {
    const problems = new Problems();
    const start = await readStart(line, context, problems);
    for (const one of line.operands.slice(1)) problems.add(`one target is inspected: unexpected "${one}"`);
    problems.throwIfAny("Cannot inspect");
    const asked = await withAskedSecrets(start, context);
    return await withLoadedPlugin(callingOnly(asked), context, async (session, { signal, race }) => {
      const surface = await race(session.contract.surface({ signal }));
      context.stdout.write(line.options.json === true ? writeContract(surface) : describeSurface(surface));
    });
  },
});

/** Longest description that is shown of a tool, a prompt or a resource. */
const longest = 160;

function describeSurface({ server, tools, prompts, resources, resourceTemplates }: ServerSurface): string {
  const capabilities = Object.keys(server.capabilities);
  const rows = [
    `${server.name} ${server.version}, protocol ${server.protocolVersion}` +
    (capabilities.length === 0 ? "" : `, capabilities: ${capabilities.join(", ")}`),
    ...(server.instructions === undefined ? [] : [`Instructions: ${oneLine(server.instructions, 500)}`]),
    "",
    count(tools.length, "tool"),
    ...toolRows(tools),
    ...section("prompt", prompts, (prompt) => `${shown(prompt["name"])}(${argumentNames(prompt)})`),
    ...section("resource", resources, ({ uri, name, mimeType }) => shown(uri, name, mimeType)),
    ...section(
      "resource template",
      resourceTemplates,
      ({ uriTemplate, name, mimeType }) => shown(uriTemplate, name, mimeType),
    ),
  ];
  return rows.map((row) => `${stripEscapes(row).replaceAll("\n", " ")}\n`).join("");
}

/** Schemas that may run out of time before the others are left unread: each takes a second. */
const mostSlow = 3;

function toolRows(tools: ServerSurface["tools"]): string[] {
  let slow = 0;
  return tools.flatMap((tool) => {
    if (slow >= mostSlow) {
      return [titled(tool.name, tool), "    (fields not read: other schemas ran out of time)"];
    }
    const fields = toolFields(tool);
    if (fields.problem !== undefined) slow++;
    return [titled(tool.name, tool), ...fieldRows(fields).map((row) => `    ${row}`)];
  });
}

/** Joins what is a text; a server may send anything there. */
const shown = (...values: unknown[]): string =>
  values.filter((value) => typeof value === "string" && value !== "").join("  ");

const section = (
  noun: string,
  entries: readonly Record<string, unknown>[],
  head: (entry: Record<string, unknown>) => string,
): string[] =>
  entries.length === 0
    ? []
    : ["", count(entries.length, noun), ...entries.map((each) => titled(head(each), each))];

function titled(head: string, { description, title }: Record<string, unknown>): string {
  const text = [description, title].find((each): each is string => typeof each === "string" && each !== "");
  return `  ${head}${text === undefined ? "" : `: ${firstLine(text, longest)}`}`;
}

/** Arguments of a prompt, those that may be left out with a question mark. */
function argumentNames(prompt: Record<string, unknown>): string {
  const all = Array.isArray(prompt["arguments"]) ? prompt["arguments"].filter(isObject) : [];
  return all.map(({ name, required }) => required === true ? shown(name) : `${shown(name)}?`).join(", ");
}
