/**
 * Kinds of definitions: things that are added as one file with `export default define…(…)`, and its test.
 *
 * Registries, the table "Where do I add" in docs/contributing.md and the check that every definition has a test are
 * made from this list.
 */
export interface DefinitionKind {
  /** With its article: "an assertion". */
  what: string;
  /** Folder of the definitions. */
  folder: string;
  /** True where each definition is in a folder within it, its category. */
  inCategories?: true;
  /** Function that the default export calls. */
  define: string;
  /** Member by which users know the definition: a text, unique in its folder. */
  id?: string;
  /** True where the file has the name that `id` says, with `_` for what file names do not hold. */
  namedByFile?: true;
  /** Other members that are texts and not empty. */
  texts?: readonly string[];
  /** Path of the test; `<name>` and `<category>` stand for those of the definition. Without them, all definitions share it. */
  test: string;
  /** Subject of the test, for the table in docs/contributing.md. */
  tested: string;
  /** Other paths where the test may be. */
  otherTests?: readonly string[];
  /** Tests of several definitions; one that names a definition in quotes or backticks is its test, too. */
  sharedTests?: readonly string[];
  /** Page of the documentation that has to name each, where no list of it is generated. */
  page?: string;
  /** Name of a list in src/core/runtime_names.ts, for texts that need only the names. */
  names?: string;
}

export const definitionKinds: readonly DefinitionKind[] = [
  {
    what: "an MCP tool",
    folder: "src/tools",
    inCategories: true,
    define: "defineTool",
    texts: ["title", "description"],
    test: "test/src/tools/<category>/<name>_test.ts",
    tested: "what it asks of the harness and answers (`checkAnswer`); clients see `pth_<name>`",
    sharedTests: [
      "test/src/server/answers_test.ts",
      "test/src/server/dormant_test.ts",
      "test/src/server/session_test.ts",
      "test/src/tools/iteration_tools_test.ts",
      "test/src/tools/verify_cross_distro_test.ts",
      "test/integration/mcp/*_test.ts",
    ],
  },
  {
    what: "an assertion",
    folder: "src/testing/assertions",
    define: "defineAssertion",
    id: "key",
    namedByFile: true,
    texts: ["summary"],
    test: "test/examples/expect.<name>.yaml",
    tested: "an answer that passes and one that fails, shown in docs/test-reference.md and run by the real " +
      "engine; of one on commands it is `verify.<name>.yaml`, and `…_i.yaml` has `caseInsensitive`",
    otherTests: ["test/examples/verify.<name>.yaml"],
  },
  {
    what: "a reporter",
    folder: "src/testing/reporters",
    define: "defineReporter",
    id: "name",
    namedByFile: true,
    texts: ["summary"],
    test: "test/src/testing/reporters/<name>_test.ts",
    tested: "what it writes of a recorded run (`recorded_run.ts` there)",
  },
  {
    what: "a rule on tool definitions",
    folder: "src/testing/lint",
    define: "defineLintRule",
    id: "code",
    namedByFile: true,
    texts: ["summary"],
    test: "test/src/testing/lint/<name>_test.ts",
    tested: "a definition in which it finds something, and one in which it does not",
    sharedTests: ["test/src/testing/lint_tools_test.ts"],
  },
  {
    what: "a rule on a plugin's definitions",
    folder: "src/definition_lint/rules",
    define: "defineDefinitionRule",
    id: "code",
    namedByFile: true,
    texts: ["summary"],
    test: "test/src/definition_lint/rules/<name>_test.ts",
    tested: "a plugin in which it finds something, and one in which it does not",
    sharedTests: ["test/src/definition_lint/rules_test.ts"],
  },
  {
    what: "a runtime",
    folder: "src/runtimes",
    define: "defineRuntime",
    id: "name",
    namedByFile: true,
    texts: ["summary", "needs"],
    test: "test/integration/<name>/contract_test.ts",
    tested:
      "the contract suite (`test/contracts/runtime_contract.ts`); one that only starts processes on the " +
      "host in a way of its own is made by `hostRuntime`",
    names: "runtimeNames",
  },
  {
    what: "a check of the whole server",
    folder: "src/testing/checks",
    define: "defineCheck",
    page: "docs/test-format.md",
    id: "name",
    namedByFile: true,
    texts: ["summary"],
    test: "test/src/testing/checks/<name>_test.ts",
    tested: "a faulty server (`test/fixtures/faulty_servers`)",
    sharedTests: ["test/src/testing/checks_test.ts", "test/integration/acceptance/*_test.ts"],
  },
  {
    what: "a test generator",
    folder: "src/testing/generators",
    define: "defineGenerator",
    page: "docs/generation.md",
    id: "name",
    namedByFile: true,
    test: "test/src/testing/generators/<name>_test.ts",
    tested: "its tests, byte for byte",
  },
  {
    what: "a repair of refused calls",
    folder: "src/testing/learn/repairs",
    define: "defineRepair",
    page: "docs/learning.md",
    id: "name",
    namedByFile: true,
    texts: ["summary"],
    test: "test/src/testing/learn/repairs/<name>_test.ts",
    tested: "refusals that it repairs, and some that it leaves alone",
    sharedTests: ["test/src/testing/learn/repairs_test.ts"],
  },
  {
    what: "an expectation on agents",
    folder: "src/agent_fixtures/expectations",
    define: "defineExpectation",
    page: "docs/expectations.md",
    id: "type",
    namedByFile: true,
    texts: ["summary"],
    test: "test/src/agent_fixtures/expectations/<name>_test.ts",
    tested: "a session that meets it, and the reason of one that nearly does",
  },
  {
    what: "a kind of package",
    folder: "src/install_checks/kinds",
    define: "defineInstallKind",
    page: "docs/install-checks.md",
    id: "name",
    namedByFile: true,
    texts: ["summary", "detectedBy"],
    test: "test/src/install_checks/kinds/<name>_test.ts",
    tested: "a package with planted faults, all of which are found, and its twin without any",
    sharedTests: ["test/integration/host/install_checks_test.ts"],
  },
  {
    what: "a test framework",
    folder: "src/project_tests/frameworks",
    define: "defineFramework",
    page: "docs/project-tests.md",
    id: "name",
    namedByFile: true,
    texts: ["summary", "detectedBy"],
    test: "test/src/project_tests/frameworks/<name>_test.ts",
    tested: "a project that it detects, and recorded output of real runs, read into events",
  },
  {
    what: "a fuzzing oracle",
    folder: "src/testing/fuzz/oracles",
    define: "defineOracle",
    page: "docs/fuzzing.md",
    id: "name",
    namedByFile: true,
    test: "test/src/testing/fuzz/oracles/<name>_test.ts",
    tested: "an answer that passes and one that does not",
    sharedTests: ["test/src/testing/fuzz/oracles_test.ts"],
  },
  {
    what: "a coverage collector",
    folder: "src/testing/coverage/collectors",
    define: "defineCollector",
    page: "docs/coverage.md",
    id: "name",
    namedByFile: true,
    test: "test/src/testing/coverage/<name>_test.ts",
    tested: "recorded data, and a real run in `test/integration/sandbox/coverage_test.ts`",
    sharedTests: [
      "test/src/testing/coverage/*_test.ts",
      "test/integration/sandbox/*_test.ts",
      "test/integration/docker/*_test.ts",
    ],
  },
  {
    what: "an importer",
    folder: "src/testing/importers",
    define: "defineImporter",
    page: "docs/importing.md",
    id: "name",
    namedByFile: true,
    texts: ["summary"],
    test: "test/src/testing/importers/<name>_test.ts",
    tested: "a suite of that format, written for the test",
    sharedTests: ["test/src/testing/import_tests_test.ts"],
  },
  {
    what: "something after the tests of a run",
    folder: "src/cli/run_phases",
    define: "defineRunPhase",
    id: "flag",
    namedByFile: true,
    texts: ["summary"],
    test: "test/src/cli/run_phases/<name>_test.ts",
    tested: "a run with its option",
    sharedTests: ["test/src/cli/*_test.ts", "test/integration/cli/*_test.ts"],
  },
  {
    what: "a build system",
    folder: "src/plugin/build_systems",
    define: "defineBuildSystem",
    test: "test/src/plugin/detect_test.ts",
    tested: "a case there: a folder that it detects",
  },
  {
    what: "a kind of service",
    folder: "src/plugin/service_kinds",
    define: "defineServiceKind",
    test: "test/src/plugin/service_proposals/propose_services_test.ts",
    tested: "a case there: a source that needs it",
  },
  {
    what: "a sign of a tier",
    folder: "src/plugin/tier_signs",
    define: "defineTierDetector",
    test: "test/src/plugin/recommend_tier_test.ts",
    tested: "a case there: a source that has it, and one that only looks like it",
  },
];
