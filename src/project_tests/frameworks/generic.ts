import { errorMessage, PthError } from "../../core/errors.ts";
import { readPackageJson } from "../../plugin/package_json.ts";
import type { ReadableFolder } from "../../plugin/readable_folder.ts";
import { defineFramework } from "../framework.ts";
import { createGenericReader } from "../readers/generic_reader.ts";

/** Any command: what its output says in the usual words is all that is known. */
export default defineFramework({
  name: "generic",
  summary:
    "runs the command as it is given, and reads lines such as `PASS name`, `FAIL name` and `file:line: error`",
  language: "unknown",
  buildSystem: "unknown",
  detectedBy: "a `command`, where nothing else fits",
  takesCommands: true,
  needs: () => [],
  detect: ({ request: { command } }) =>
    Promise.resolve(
      command === undefined
        ? undefined
        : { confidence: 1, reason: "a command was given, and no framework fits it" },
    ),
  plan({ request: { command, level, test } }) {
    if (command === undefined) {
      throw new PthError(
        "INVALID_INPUT",
        "Cannot run the tests: no framework fits the project, and no command is given",
        {
          next: ["Give the command that runs them: command", "Or name the framework: framework"],
        },
      );
    }
    if (level !== undefined || test !== undefined) {
      throw new PthError(
        "INVALID_INPUT",
        `Cannot choose ${
          test === undefined ? `the level ${level}` : `the test ${test}`
        }: no framework fits the project`,
        { next: ["Give a command that runs it alone", "Or name the framework: framework"] },
      );
    }
    return Promise.resolve({ files: {}, preparation: [], runs: [{ argv: ["sh", "-c", command] }] });
  },
  reader: ({ root, request: { command = "" } }) => createGenericReader({ root, command }),
  async withoutTests({ folder }) {
    const next = "Name the framework, or give the command that runs the tests.";
    const problem = await manifestProblem(folder);
    return {
      language: "unknown",
      buildSystem: "unknown",
      testFiles: 0,
      hint: problem === undefined
        ? `No tests found, and no sign of a test framework. ${next}`
        : `No tests found: ${problem}. Correct it first. ${next}`,
    };
  },
});

/** The reason why package.json tells nothing; other frameworks pass such a file over. */
async function manifestProblem(folder: ReadableFolder): Promise<string | undefined> {
  try {
    await readPackageJson(folder);
    return undefined;
  } catch (error) {
    return `package.json cannot be read (${errorMessage(error)})`;
  }
}
