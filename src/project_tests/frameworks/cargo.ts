import { join } from "node:path/posix";
import { PthError } from "../../core/errors.ts";
import { assetText } from "../../platform/asset_text.ts";
import { type CargoPackages, cargoPackages, rustWithoutTests } from "../cargo_packages.ts";
import { defineFramework, type PlanPlace, type TestPlan, type TestProject } from "../framework.ts";
import { cargoErrors } from "../readers/cargo_errors.ts";
import { createLibtestReader } from "../readers/libtest_reader.ts";
import { suggestFunctions } from "../suggest_functions.ts";

const quiet = { CARGO_TERM_COLOR: "never", CARGO_TERM_PROGRESS_WHEN: "never" };
const runner = "cargo_runner.sh";
const docTest = /^\S.* - (?:(.*) )?\(line (\d+)\)$/;

/**
 * Tests of Rust. Programs of tests are started through a runner that has them say their events as JSON; doc tests, which
 * Cargo hands to rustdoc, are a run of their own and tell each test as it ends.
 */
export default defineFramework({
  name: "cargo",
  summary:
    "unit tests, integration tests, doc tests and test programs without a harness, live on stable Rust",
  language: "rust",
  buildSystem: "cargo",
  detectedBy: "`Cargo.toml`",
  takesCommands: true,
  needs: () => ["cargo"],
  async detect({ folder, request: { command } }) {
    if (command !== undefined && optionsIn(command) === undefined) return undefined;
    return await folder.exists("Cargo.toml") ? { confidence: 90, reason: "Cargo.toml" } : undefined;
  },
  async plan(project, place) {
    const { request } = project;
    const options = request.command === undefined ? [] : optionsIn(request.command);
    if (options === undefined) {
      throw new PthError("INVALID_INPUT", `Cannot run ${request.command}: it is no cargo test command`, {
        next: ["Leave the command out, or give one such as: cargo test --all-features"],
      });
    }
    const found = await cargoPackages(project);
    return planOf(project, place, { options, found });
  },
  readPreparation: (result, { root }) => cargoErrors(root, result),
  reader: ({ root }) => createLibtestReader({ root, suite: "--doc" }),
  rerun({ name, suite = "" }) {
    const options = suite === "" ? [] : suite.split(" ");
    const filter = options.includes("--doc")
      ? ["--", docFilter(name)]
      : name.endsWith(".rs")
      ? []
      : ["--", "--exact", name];
    return { argv: ["cargo", "test", ...options, ...filter] };
  },
  suggestTraces: suggestFunctions,
  runnerThreads: "libtest",
  async withoutTests({ folder }) {
    return {
      ...await rustWithoutTests(folder),
      hint:
        "No tests found. Cargo projects support inline #[test] functions and a tests/ directory. For a first test " +
        "add to a file of src/: #[cfg(test)] mod tests { use super::*; #[test] fn works() { assert!(…); } }",
    };
  },
});

interface Selection {
  /** Options of `cargo test` that the request's command gives. */
  options: string[];
  found: CargoPackages | undefined;
}

async function planOf(project: TestProject, place: PlanPlace, selection: Selection): Promise<TestPlan> {
  const { request: { level, test } } = project;
  const { options, found } = selection;
  const isDocTest = test !== undefined && docTest.test(test);
  const targets = isDocTest ? [] : targetsOf(selection, level);
  const cargo = ["cargo", "test", "--no-fail-fast", ...options];
  const { triple, hasRunnerText } = await hostTarget(project);
  const program = ["sh", join(place.scratch, runner)];
  // Cargo joins configurations: a runner that the project gives as a text can only be replaced by a text.
  const value = JSON.stringify(hasRunnerText ? program.join(" ") : program);
  const withRunner = ["--config", `target.${triple}.runner=${value}`];
  const programs = isDocTest ? [] : [{
    argv: [
      ...cargo,
      ...targets.length > 0 || narrows(options) ? targets : ["--tests"],
      "--message-format",
      "json",
      ...withRunner,
    ],
    env: { ...quiet, ...test === undefined ? {} : { PTH_CARGO_TEST: test } },
    startsPrograms: true,
  }];
  const documentation = isDocTest ||
      test === undefined && level === undefined && found?.hasDocTests !== false && !narrows(options)
    ? [{ argv: [...cargo, "--doc", ...isDocTest ? ["--", docFilter(test)] : []], env: quiet }]
    : [];
  return {
    files: { [runner]: assetText(`project_tests/${runner}`) },
    preparation: isDocTest ? [] : [
      { argv: ["cargo", "test", "--no-run", ...options, ...targets, "--message-format", "json"], env: quiet },
    ],
    runs: [...programs, ...documentation],
  };
}

/** Options that pick the targets of a level; none for all. */
function targetsOf({ found }: Selection, level: TestProject["request"]["level"]): string[] {
  if (level === undefined) return [];
  if (level === "unit") {
    const picked = [
      ...found?.hasLibrary === false ? [] : ["--lib"],
      ...found?.hasPrograms === true ? ["--bins"] : [],
    ];
    return picked.length > 0 ? picked : noTarget("no package has a library or a program", level);
  }
  const pattern = level === "e2e" ? "e2e*" : "*";
  const fits = found?.testTargets.some((name) => level !== "e2e" || name.startsWith("e2e")) ?? true;
  return fits ? ["--test", pattern] : noTarget(
    level === "e2e" ? "no file in tests/ begins with e2e" : "no package has a test in tests/",
    level,
  );
}

function noTarget(why: string, level: string): never {
  throw new PthError("INVALID_INPUT", `Cannot run the level ${level}: ${why}`, {
    next: ["Leave the level out to run all tests", "Or write a first test of that level"],
  });
}

/** Options of a `cargo test` command; undefined for any other command. */
function optionsIn(command: string): string[] | undefined {
  const words = command.trim().split(/\s+/);
  const [program, verb, ...options] = words;
  if (program !== "cargo" || verb !== "test" && verb !== "t") return undefined;
  return options.every((word) => /^[\w@%+=:,./*-]+$/.test(word) && !["--", "--doc"].includes(word))
    ? options
    : undefined;
}

/** Whether options pick targets, which `--tests` and `--doc` would widen. */
const narrows = (options: string[]): boolean =>
  options.some((word) => /^--(?:lib|bins?|tests?|examples?|benche?s?|all-targets)(?:=|$)/.test(word));

/** Word of a doc test's name that rustdoc, which takes no names with spaces, can choose by: its item, or its file. */
const docFilter = (name: string): string => {
  const item = docTest.exec(name)?.[1]?.trim().split(" ")[0];
  return item === undefined || item === "" ? name.split(" ")[0]! : item;
};

/** The platform that programs are built for, whose name their runner is set under. */
async function hostTarget(project: TestProject): Promise<{ triple: string; hasRunnerText: boolean }> {
  const files = [".cargo/config.toml", ".cargo/config"];
  const text = (await Promise.all(files.map((file) => project.folder.read(file)))).find((text) =>
    text !== undefined
  );
  const hasRunnerText = /^\s*runner\s*=\s*["']/m.test(text ?? "");
  const given = /^\s*target\s*=\s*"([\w.-]+)"/m.exec(text ?? "")?.[1];
  if (given !== undefined) return { triple: given, hasRunnerText };
  const { stdout } = await project.probe(["rustc", "-vV"]);
  return { triple: /^host: (\S+)$/m.exec(stdout)?.[1] ?? "x86_64-unknown-linux-gnu", hasRunnerText };
}
