/** `pth new-test`: a test of a tier to begin with, or the schema by which editors complete test files. */
import { dirname, join } from "node:path";
import { Argument } from "commander";
import type { Tier } from "../../../machines/model/environment.ts";
import { pathExists, writeTextAtomically } from "../../platform/files.ts";
import { writableProblem } from "../../platform/writable.ts";
import { defineCommand } from "../command.ts";
import { Problems } from "../options/problems.ts";
import { textValue } from "../options/option_values.ts";

export default defineCommand({
  configure(command) {
    command
      .addArgument(
        new Argument("<tier>", "1: one call; 2: several steps; 3: a prompt for an agent; or schema").choices([
          "1",
          "2",
          "3",
          "schema",
        ]),
      )
      .option("--output <file>", "file to create, e.g. .pth/tests/my_test.yaml (default: stdout)");
  },
  async run({ operands, options }, { stdout, stderr }) {
    const kind = operands[0]!;
    const problems = new Problems();
    const file = textValue(options.output);
    if (file !== undefined) {
      // A schema is nobody's own work, and follows the version of PTH.
      const taken = kind !== "schema" && await pathExists(file);
      const problem = taken ? "the file exists" : await writableProblem(file);
      if (problem !== undefined) problems.add(`--output: cannot write ${file}: ${problem}`);
    }
    problems.throwIfAny("Cannot write a new test");
    const made = await textOf(kind);
    if (file === undefined) stdout.write(made);
    else {
      await writeTextAtomically(file, made);
      stderr.write(`Written to ${file}\n`);
      if (kind !== "schema") {
        const schema = join(dirname(file), "..", "test.schema.json");
        if (!await pathExists(schema)) {
          stderr.write(`For completion in editors: pth new-test schema --output ${schema}\n`);
        }
      }
    }
    return 0;
  },
});

async function textOf(kind: string): Promise<string> {
  if (kind === "schema") return (await import("../../testing/format/test_schema.ts")).testJsonSchema();
  return (await import("../../testing/format/templates.ts")).templates[Number(kind) as Tier];
}
