/** Parses shell scripts and the programs of `src/assets/`, which otherwise only their interpreters elsewhere would read. */
import { join } from "node:path";
import { runCommand } from "../../src/platform/process.ts";
import { defineCheck } from "./check.ts";

const parsePython =
  'import ast, sys\nfor path in sys.argv[1:]:\n  with open(path, "rb") as file: ast.parse(file.read(), path)';

/** Looks whether brackets are in pairs: machines that build PTH have no parser of Groovy. */
const pairBrackets = String.raw`
const text = require("node:fs").readFileSync(process.argv[1], "utf8");
const bare = text.replace(/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|\/\/.*|\/\*[^]*?\*\//g, "");
const open = [];
const pairs = { ")": "(", "]": "[", "}": "{" };
for (const each of bare) {
  if (Object.values(pairs).includes(each)) open.push(each);
  else if (each in pairs && open.pop() !== pairs[each]) throw new Error("a bracket " + each + " closes nothing");
}
if (open.length > 0 || /['"]/.test(bare)) throw new Error("a bracket or a text does not end");`;

/** Command lines by ending, which get one path behind, run nothing and write nothing. */
const parsers: Readonly<Record<string, readonly [string, ...string[]]>> = {
  sh: ["sh", "-n"],
  py: ["python3", "-c", parsePython],
  cjs: ["node", "--check"],
  mjs: ["node", "--check"],
  c: ["cc", "-fsyntax-only", "-Wall", "-Werror"],
  rb: ["ruby", "-wc"],
  gradle: ["node", "-e", pairBrackets],
  // Stops before types, of which some are there only where it runs.
  java: ["javac", "-proc:none", "-XDshould-stop.ifNoError=PARSE"],
};
/** Parsers that few machines have: without one, the real run of the program is all that checks it. */
const seldomThere: readonly string[] = ["ruby", "javac"];

export default defineCheck({
  name: "shell scripts and programs of src/assets parse",
  async run({ root, paths }) {
    const scripts = paths.filter((path) => path.endsWith(".sh") && !path.startsWith("test/fixtures/"));
    const programs = new Set([...scripts, ...paths.filter((path) => path.startsWith("src/assets/"))]);
    const found = await Promise.all([...programs].map((path) => problemOf(root, path)));
    return found.filter((problem) => problem !== undefined);
  },
});

async function problemOf(root: string, path: string): Promise<string | undefined> {
  const ending = path.slice(path.lastIndexOf(".") + 1);
  const parser = parsers[ending];
  if (parser === undefined) return `${path}: name its parser in scripts/checks/parsed_programs.ts`;
  try {
    const { code, stdout, stderr } = await runCommand([...parser, join(root, path)]);
    return code === 0 ? undefined : `${path}: ${parser[0]} exits with ${code}\n${stdout}${stderr}`.trim();
  } catch (error) {
    if (seldomThere.includes(parser[0])) return undefined;
    return `${path}: cannot be parsed without ${parser[0]}: ${(error as Error).message}`;
  }
}
