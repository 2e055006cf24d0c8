/** The GitHub Actions workflow that runs the exported tests. */
import { stringify } from "yaml";
import type { CiSettings } from "./runner_settings.ts";

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
  return `# Runs the tests that PTH exported; the runner needs no PTH. pth_export_ci writes this file anew.\n${text}`;
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
