/** `pth import`: suites of other testers as test files of PTH. */
import { basename, join } from "node:path";
import { asPthError, PthError } from "../../core/errors.ts";
import { isAbsent, pathExists, readTextFile, writeTextAtomically } from "../../platform/files.ts";
import { folderProblem } from "../../platform/writable.ts";
import { type ImportedFile, importTests } from "../../testing/import_tests.ts";
import { registry } from "../../testing/importers/_registry.ts";
import type { Problem } from "../../core/problems.ts";
import { serializeTests } from "../../testing/format/serialize_tests.ts";
import { defineCommand } from "../command.ts";
import { Problems } from "../options/problems.ts";
import { textValue } from "../options/option_values.ts";
import { renderTable } from "../render_table.ts";
import { count } from "../../core/text.ts";

/** The rest was imported; what is unknown is for a person to look at. */
const partly = 2;

export default defineCommand({
  configure(command) {
    const known = registry.map(({ name, summary }) => `\n  ${name.padEnd(18)} ${summary}`).join("");
    command
      .argument("<files...>", "test files (YAML or JSON) of another MCP tester")
      .option("--format <name>", `format of the files (default: auto):${known}`)
      .option(
        "--output <folder>",
        "write one test file for each input file to this folder, e.g. .pth/tests (default: stdout)",
      )
      .option("--force", "overwrite existing files");
  },
  async run({ operands, options }, { stdout, stderr }) {
    const folder = textValue(options.output);
    const problems = new Problems();
    const unwritable = folder === undefined ? undefined : await folderProblem(folder);
    if (unwritable !== undefined) problems.add(`--output: cannot write to ${folder}: ${unwritable}`);
    const targets = operands.map((file) => ({ file, target: folder && join(folder, targetName(file)) }));
    for (const { file, target } of targets) {
      if (targets.some((other) => other.file !== file && other.target === target && target !== undefined)) {
        problems.add(`${file} and another file would both become ${target}`);
      } else if (target !== undefined && options.force !== true && await pathExists(target)) {
        problems.add(`${target} exists already: --force overwrites it`);
      }
    }
    problems.throwIfAny("Cannot import tests");
    const imported: ImportedFile[] = [];
    for (const { file } of targets) {
      imported.push(importTests(file, await read(file), textValue(options.format)));
    }
    for (const [index, { tests, format }] of imported.entries()) {
      const { file, target } = targets[index]!;
      if (target === undefined) stdout.write((index === 0 ? "" : "---\n") + serializeTests(tests));
      else if (tests.length > 0) {
        await writeTextAtomically(target, serializeTests(tests));
        stdout.write(`${target}: ${count(tests.length, "test")} from ${file} (${format})\n`);
      }
    }
    const lost = imported.flatMap((each) => each.lost);
    const unknown = imported.flatMap((each) => each.problems);
    if (lost.length > 0) stderr.write(`Not converted:\n${table(lost)}`);
    if (unknown.length > 0) stderr.write(`Not understood:\n${table(unknown)}`);
    const none = imported.findIndex(({ tests }) => tests.length === 0);
    if (none >= 0) stderr.write(`${operands[none]}: no test could be imported\n`);
    return unknown.length > 0 || none >= 0 ? partly : 0;
  },
});

const table = (problems: readonly Problem[]): string =>
  renderTable(
    ["place", "construct"],
    problems.map(({ file, line, column, message }) => [`${file}:${line}:${column}`, message]),
  );

/** `shop.test.mcp.yml` becomes `shop.yaml`. */
const targetName = (file: string): string =>
  `${
    basename(file).replace(/\.(ya?ml|json)$/i, "").replace(/(\.test)?(\.mcp)?$|_test$/, "") || "imported"
  }.yaml`;

async function read(file: string): Promise<string> {
  try {
    return await readTextFile(file);
  } catch (error) {
    if (!isAbsent(error)) throw asPthError(error, `Cannot read ${file}`);
    throw new PthError("TARGET_NOT_FOUND", `Cannot import tests: there is no file ${file}`, {}, {
      cause: error,
    });
  }
}
