/** Calls of PTH's own tools that texts name can be made as they are written: the tool, its arguments, plain values. */
import { defineCheck } from "./check.ts";
import { placeOf } from "./imports.ts";
import { wrongCalls } from "./wrong_calls.ts";

const looked = /^(?:src|machines|docs|agents|commands|skills)\/.*\.(?:ts|js|md)$|^README\.md$/;
/** Words of scripts that run elsewhere, and an argument that no tool has. */
const otherNames = /^pth_(?:mark|line|start|end|extra_property): there is no such tool$/;

export default defineCheck({
  name: "calls that texts name can be made",
  async run(tree) {
    const problems: string[] = [];
    for (const path of tree.paths.filter((path) => looked.test(path))) {
      const text = plainText(await tree.read(path));
      for (const { index, what } of wrongCalls(text)) {
        if (!otherNames.test(what)) problems.push(`${placeOf(path, text, index)}: ${what}`);
      }
    }
    return problems;
  },
});

/** Texts in several parts as one, what is filled in as "…"; each line stays where it is. */
const plainText = (code: string): string =>
  code.replace(/["'`]\s*\+\s*["'`]/g, newLines)
    .replace(/\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g, (filled) => "…" + newLines(filled))
    .replaceAll('\\"', '"');

const newLines = (text: string): string => text.replace(/[^\n]/g, "");
