/** Commands and options stand in texts for the terminal only, calls of tools in texts for MCP only (`src/core/next_step.ts`). */
import { defineCheck } from "./check.ts";
import { placeOf, withoutTexts } from "./imports.ts";

/** Texts of one face: the terminal's, in reports and in the visualizer; and commands for other programs. */
const notLooked =
  /^src\/(?:(?:cli|main|session\/clean)\.ts$|cli\/|ci_runner\/|visualizer\/|testing\/report|testing\/coverage\/|plugin\/service_kinds\/)/;
const looked = /^(?:src|machines)\/.*\.ts$/;
/** Answers of tools, and what no terminal shows. */
const overMcp =
  /^src\/(?:tools\/|server\/|app\/(?:tests\/detail_command|session\/resume_session)\.ts$|export\/ci\/workflow_file\.ts$)/;
const optionsOf = /^src\/cli\/.*\.ts$/;
const commandList = "src/cli/command_list.ts";

/** One text, or several that are joined. */
const literal = /(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)/.source;
const wordsFor = (face: string): RegExp =>
  new RegExp(`\\b${face}:\\s*${literal}(?:\\s*\\+\\s*${literal})*`, "g");

/** Commands that no call stands for: the person's, and those of other programs. */
const forAll = /\bpth (?:clean(?: --all)?|viz|images (?:prune|unpack))\b|\bnpm ls --all/g;

export default defineCheck({
  name: "texts are in the words of the face that shows them",
  async run(tree) {
    const words = (await Promise.all(tree.paths.filter((path) => optionsOf.test(path)).map(tree.read)))
      .join();
    const names = namesIn(words, /"--([a-z][a-z-]*)/g);
    const commands = namesIn(await tree.read(commandList), /\bname: "([^"]+)"/g);
    // An option in a sentence, or first in a text; a word of its own is an argument for another program.
    const terminal = new RegExp(
      `(?<=[\\s(])--(?:(?:${names})(?![\\w-])|\\$\\{)|(?<=["'\`])--(?:${names})(?= )|\\bpth (?:${commands})\\b`,
      "g",
    );
    const list = JSON.parse(await tree.read("src/server/tool_list.json")) as { tool: { name: string } }[];
    const calls = new RegExp(`\\b(?:${list.map(({ tool }) => tool.name).join("|")})\\b`, "g");
    const problems: string[] = [];
    for (const path of tree.paths.filter((path) => looked.test(path) && !notLooked.test(path))) {
      const text = withoutTexts(await tree.read(path)).replace(forAll, blank);
      const find = (words: RegExp, face: string) => {
        for (const { 0: found, index } of text.replace(wordsFor(face), blank).matchAll(words)) {
          problems.push(`${placeOf(path, text, index)}: ${found} belongs into { ${face}: … }`);
        }
      };
      find(terminal, "terminal");
      if (!overMcp.test(path)) find(calls, "mcp");
    }
    return problems;
  },
});

const blank = (text: string): string => text.replace(/[^\n]/g, " ");

const namesIn = (text: string, pattern: RegExp): string =>
  [...new Set([...text.matchAll(pattern)].map(([, name]) => name))].join("|");
