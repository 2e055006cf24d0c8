/** Tests that run without PTH, and the workflow that runs them. */
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { CiSettings } from "./ci_settings.ts";
import { selfPackage } from "../../platform/self_version.ts";
import { serializeTests } from "../../testing/format/serialize_tests.ts";
import type { ExportFile } from "../../platform/write_inside.ts";
import { requireShim, runnerCode, runnerDependencies } from "./bundle_runner.ts";
import { stringify } from "yaml";

/** Paths relative to the plugin's folder. */
const runnerPath = ".pth/ci/run-tests.mjs";
const ciTestsPath = ".pth/ci/tests.yaml";

/** Seen from the top of the repository. */
export const workflowPath = ".github/workflows/pth-tests.yml";

/** Files below the plugin's folder: the runner, its package and the tests. */
export async function runnerFiles(settings: CiSettings, tests: readonly TestCase[]): Promise<ExportFile[]> {
  const { version, dependencies } = await selfPackage();
  const manifest = {
    private: true,
    description: "What .pth/ci/run-tests.mjs needs.",
    dependencies: Object.fromEntries(runnerDependencies.map((name) => [name, dependencies[name] ?? "*"])),
  };
  return [
    { path: runnerPath, text: runnerText(settings, version, await runnerCode()) },
    { path: ciTestsPath, text: serializeTests(tests) },
    { path: ".pth/ci/package.json", text: `${JSON.stringify(manifest, null, 2)}\n` },
    { path: ".pth/ci/.gitignore", text: "node_modules/\npackage-lock.json\n" },
  ];
}

/** File below the repository's top. */
export const workflowFile = (settings: CiSettings, folder: string): ExportFile => ({
  path: workflowPath,
  text: workflow(settings, folder),
});

const runnerText = (settings: CiSettings, version: string, code: string): string =>
  `#!/usr/bin/env node
/*
 * Runs the tests of ${settings.plan.name.replaceAll("*/", "* /")}, which lie beside this file in tests.yaml.
 *
 *   npm install --prefix .pth/ci      once: what this file imports
 *   node .pth/ci/run-tests.mjs        --junit FILE, --tap, --grep REGEX; --help shows all
 *
 * Exits with 0 (passed), 1 (tests failed) or 2 (the tests could not be run).
 * Written by PTH ${version} (pth_export_ci): it needs no PTH, and judges as PTH does. How the plugin is installed, built
 * and started stands in PTH_CI; "{plugin}" is its folder, "{secret:NAME}" comes from the environment variable NAME.
 */
const PTH_CI = ${JSON.stringify(settings, null, 2)};

// From here on: PTH's test engine in one piece.
${requireShim}
${code}`;

/** Folder is the plugin's within the repository, "" for the top. */
export function workflow({ plan, secrets }: CiSettings, folder: string): string {
  const env = Object.fromEntries(secrets.map((name) => [name, `\${{ secrets.${name} }}`]));
  const within = folder === "" ? {} : { defaults: { run: { "working-directory": folder } } };
  const path = folder === "" ? "" : `${folder}/`;
  const steps = [
    { uses: "actions/checkout@v4" },
    { uses: "actions/setup-node@v4", with: { "node-version": 22 } },
    ...toolchainSteps(plan.build?.toolchains ?? [], plan.server.command ?? []),
    { name: "Install what the runner needs", run: "npm install --prefix .pth/ci --no-audit --no-fund" },
    {
      name: "Run the tests",
      run: "node .pth/ci/run-tests.mjs --github --junit pth-junit.xml",
      ...(secrets.length === 0 ? {} : { env }),
    },
    {
      uses: "actions/upload-artifact@v4",
      if: "always()",
      with: { name: "pth-junit", path: `${path}pth-junit.xml`, "if-no-files-found": "ignore" },
    },
  ];
  const text = stringify({
    name: "PTH tests",
    on: { push: null, pull_request: null, workflow_dispatch: null },
    permissions: { contents: "read" },
    jobs: {
      test: { "runs-on": "ubuntu-latest", "timeout-minutes": 30, ...within, steps },
    },
  }, { lineWidth: 0, nullStr: "" });
  return `# Runs the tests that PTH exported; the runner needs no PTH. pth_export_ci overwrites this file.\n${text}`;
}

/** Rust is on GitHub's machines already; Node is set up for the runner anyway. */
function toolchainSteps(toolchains: readonly string[], command: readonly string[]): object[] {
  const needed = new Set(
    [...toolchains, command[0] ?? ""].map((path) => path.slice(path.lastIndexOf("/") + 1)),
  );
  const steps: object[] = [];
  if ([...needed].some((name) => /^(python3?|pip3?|uvx?)$/.test(name))) {
    steps.push({ uses: "actions/setup-python@v5", with: { "python-version": "3.x" } });
  }
  if (needed.has("go")) steps.push({ uses: "actions/setup-go@v5", with: { "go-version": "stable" } });
  return steps;
}
