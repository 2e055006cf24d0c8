import { PthError } from "../../core/errors.ts";
import { rustWithoutTests } from "../cargo_packages.ts";
import { defineFramework } from "../framework.ts";
import { cargoErrors } from "../readers/cargo_errors.ts";
import { createNextestReader } from "../readers/nextest_reader.ts";
import { suggestFunctions } from "../suggest_functions.ts";
import { requireOneChoice } from "../test_program.ts";

const quiet = { CARGO_TERM_COLOR: "never", CARGO_TERM_PROGRESS_WHEN: "never" };
const config = ".config/nextest.toml";

/** Tests of Rust by cargo-nextest, each in a process of its own. Cargo's own test runner goes before it unless it is asked for. */
export default defineFramework({
  name: "nextest",
  summary:
    "unit and integration tests by `cargo nextest run`, live; **not yet run here**: written after the source of nextest 0.9",
  language: "rust",
  buildSystem: "cargo",
  detectedBy: "`.config/nextest.toml`, or a `command` that is `cargo nextest run`",
  takesCommands: true,
  needs: () => ["cargo", "cargo-nextest"],
  async detect({ folder, request: { command } }) {
    if (command !== undefined) {
      return optionsIn(command) === undefined
        ? undefined
        : { confidence: 95, reason: "the command is nextest's" };
    }
    return await folder.exists(config) ? { confidence: 80, reason: config } : undefined;
  },
  // deno-lint-ignore require-await
  async plan({ request }) {
    requireOneChoice(request);
    const { command, level, test } = request;
    const options = command === undefined ? [] : optionsIn(command);
    if (options === undefined) {
      throw new PthError("INVALID_INPUT", `Cannot run ${command}: it is no command of nextest`, {
        next: ["Leave the command out, or give one such as: cargo nextest run --all-features"],
      });
    }
    const chosen = test !== undefined ? [filterOf(test)] : level === undefined ? [] : [
      {
        unit: "kind(lib) | kind(bin)",
        integration: "kind(test)",
        e2e: "kind(test) & binary(/^e2e/)",
      }[level],
    ];
    return {
      files: {},
      preparation: [{
        argv: ["cargo", "test", "--no-run", "--tests", "--message-format", "json"],
        env: quiet,
      }],
      runs: [{
        argv: [
          ...["cargo", "nextest", "run", "--no-fail-fast", "--color", "never"],
          ...["--message-format", "libtest-json-plus", "--message-format-version", "0.1"],
          ...options,
          ...chosen.flatMap((filter) => ["-E", filter]),
        ],
        env: { ...quiet, NEXTEST_EXPERIMENTAL_LIBTEST_JSON: "1" },
      }],
    };
  },
  readPreparation: (result, { root }) => cargoErrors(root, result),
  reader: ({ root }) => createNextestReader(root),
  rerun({ name, suite }) {
    const [crate] = suite?.split("::") ?? [];
    const package_ = crate === undefined ? [] : ["--package", crate];
    return { argv: ["cargo", "nextest", "run", ...package_, "-E", filterOf(name)] };
  },
  suggestTraces: suggestFunctions,
  runnerThreads: "libtest",
  async withoutTests({ folder }) {
    return {
      ...await rustWithoutTests(folder),
      hint:
        "No tests found. For a first test add to a file of src/: #[cfg(test)] mod tests { use super::*; " +
        "#[test] fn works() { assert!(…); } }. nextest runs no doc tests: framework cargo does.",
    };
  },
});

/** Expression of a test's whole path, or of its end: a name without a module may stand in any. */
const filterOf = (test: string): string =>
  test.includes("::") ? `test(=${test})` : `test(/(?:^|::)${test.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}$/)`;

/** Options of a `cargo nextest run` command; undefined for any other command. */
function optionsIn(command: string): string[] | undefined {
  const [cargo, tool, verb, ...options] = command.trim().split(/\s+/);
  if (cargo !== "cargo" || tool !== "nextest" || verb !== "run" && verb !== "r") return undefined;
  return options.every((word) => /^[\w@%+=:,./*-]+$/.test(word)) ? options : undefined;
}
