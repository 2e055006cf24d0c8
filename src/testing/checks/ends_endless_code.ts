/** A tool that runs code, and takes a limit of time for it, comes back from code that never ends. */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { asPthError } from "../../core/errors.ts";
import { textWords } from "../../core/text.ts";
import { type CheckContext, checkFailed, checkPassed, defineCheck } from "../check.ts";
import { inUnitOf } from "../generate/check_calls.ts";
import { readableTools } from "../generate/excluded_tools.ts";
import { exampleInput } from "../json_schema/example_input.ts";
import { asSchema, type Schema, typesOf } from "../json_schema/schema.ts";
import { enumOf, type GeneratedInput, schemaProperties } from "../json_schema/schema_properties.ts";
import { skippingVerdict } from "../judge/failing_verdict.ts";
import type { Verdict } from "../../../machines/model/verdict.ts";

/** Limit in ms that the tool is given, the longest that a tool may insist on, and the grace beyond it. */
const [limitMs, longestMs, graceMs] = [1000, 3000, 7000];
const mostTools = 2;

/** Code that ends, and code that does not, by words for its language. */
const languages: [language: RegExp, ends: string, endless: string][] = [
  [/^(?:python|python3|py)$/, "print(1)", "while True:\n    pass"],
  [/^(?:javascript|js|node|nodejs|typescript|ts|deno)$/, "1 + 1;", "while (true) {}"],
  [/^(?:bash|shell|sh|zsh)$/, "echo 1", "while :; do :; done"],
  [/^(?:ruby|rb)$/, "puts 1", "loop { }"],
  [/^(?:perl)$/, "print 1;", "while (1) {}"],
  [/^(?:lua)$/, "return 1", "while true do end"],
  [/^(?:php)$/, "echo 1;", "while (true) {}"],
];

interface Runner {
  name: string;
  /** Input that ends at once, and input that never does, both with the limit. */
  ends: GeneratedInput;
  endless: GeneratedInput;
  /** The limit, in ms. */
  limit: number;
}

export default defineCheck({
  name: "ends_endless_code",
  summary: "ends code that never ends when its time is over",
  category: "timeout",
  callsTools: true,
  appliesTo: (tools, { isolated }) => isolated && runnersOf(tools).length > 0,
  async run(context) {
    if (!context.isolated) return skippingVerdict("code without end runs in isolated environments only");
    let ran = 0;
    for (const runner of runnersOf(await context.tools())) {
      const { name, ends, endless, limit } = runner;
      const control = await answered(context, name, ends, limit + graceMs);
      if (control !== true) continue;
      const seen = await answered(context, name, endless, limit + graceMs);
      if (seen !== true) return failure(runner, seen);
      ran++;
    }
    return ran === 0
      ? skippingVerdict("no tool ran code that ends within its time")
      : checkPassed(undefined, []);
  },
});

/** True where an answer came; else what happened instead. */
async function answered(
  context: CheckContext,
  tool: string,
  input: GeneratedInput,
  timeoutMs: number,
): Promise<true | "silent" | "lost"> {
  try {
    await context.call(tool, input, { timeoutMs });
    return true;
  } catch (error) {
    const { code } = asPthError(error);
    if (code === "SERVER_SILENT") return "silent";
    if (code === "SERVER_LOST") return "lost";
    throw error;
  }
}

function failure({ name, endless, limit }: Runner, seen: "silent" | "lost"): Verdict {
  const code = JSON.stringify(endless);
  if (seen === "lost") {
    return checkFailed("runtime-exception", `server ended while ${name} ran code without end: ${code}`);
  }
  return checkFailed(
    "timeout",
    `${name} was given ${limit / 1000} s for code that never ends, and had not answered after ${
      (limit + graceMs) / 1000
    } s: ${code}\n  end what it runs when its time is over: a timer in the same thread never comes to it`,
  );
}

const runnersOf = (tools: readonly ToolDefinition[]): Runner[] =>
  readableTools(tools, {}).flatMap((tool) => runnerOf(tool) ?? []).slice(0, mostTools);

/** A tool with a property for code in a language that is known, and one for a limit of time that may be short. */
function runnerOf(tool: ToolDefinition): Runner | undefined {
  const properties = schemaProperties(asSchema(tool.inputSchema));
  const code = properties.find(({ name, part }) =>
    typesOf(part).includes("string") &&
    textWords(name).some((word) => /^(?:code|script|program|source|snippet|command|cmd)$/.test(word))
  );
  const time = properties.find(({ name, part }) =>
    /time_?out|time_?limit|max_?(?:execution_?)?time/i.test(name) &&
    typesOf(part).some((type) => /^(?:integer|number)$/.test(type))
  );
  if (code === undefined || time === undefined) return undefined;
  const example = exampleInput(tool);
  if (example === undefined) return undefined;
  const language = properties.find(({ name }) => /^(?:lang|language|runtime|interpreter)$/i.test(name));
  const [ends, endless, chosen] = codeFor(tool, code.part, language?.part, example.schema) ?? [];
  if (ends === undefined || endless === undefined) return undefined;
  const limit = Math.max(limitMs, msOf(time.name, time.part, Number(time.part.minimum ?? 0)));
  const common = {
    ...example.input,
    [time.name]: inUnitOf(time.name, time.part, limit),
    ...(language === undefined || chosen === undefined ? {} : { [language.name]: chosen }),
  };
  const inputs = { ends: { ...common, [code.name]: ends }, endless: { ...common, [code.name]: endless } };
  const isValid = example.isValid(inputs.ends) && example.isValid(inputs.endless);
  return limit > longestMs || !isValid ? undefined : { name: tool.name, ...inputs, limit };
}

/** Words of a text as people write it, and those of a name: `JavaScript` is one word, `run_js` are two. */
const wordsOf = (
  text: string,
): string[] => [...text.toLowerCase().match(/[a-z0-9]+/g) ?? [], ...textWords(text)];

/** A time in the unit of its property, in ms. */
const msOf = (name: string, part: Schema, value: number): number =>
  inUnitOf(name, part, 1000) === 1000 ? value : value * 1000;

/** Code that ends, code that does not, and the member of the property for the language, where it offers several. */
function codeFor(
  { name, title, description }: ToolDefinition,
  code: Schema,
  language: Schema | undefined,
  root: Schema,
): [ends: string, endless: string, chosen?: unknown] | undefined {
  for (const member of language === undefined ? [] : enumOf(language, root)) {
    const known = languages.find(([sign]) => sign.test(String(member).toLowerCase()));
    if (known !== undefined) return [known[1], known[2], member];
  }
  const words = [name, title, code.description, description].map((text) =>
    typeof text === "string" ? wordsOf(text.slice(0, 500)) : []
  );
  const known = words.map((each) => languages.filter(([sign]) => each.some((word) => sign.test(word))))
    .find((found) => found.length > 0);
  // Of several languages none is certain.
  return known?.length === 1 ? [known[0]![1], known[0]![2]] : undefined;
}
