import t from "tap";
import { parse } from "yaml";
import { ciSettings, fillSettings } from "../../../../src/export/ci/ci_settings.ts";
import { workflow } from "../../../../src/export/ci/workflow_file.ts";

const facts = {
  plan: {
    name: "p",
    source: "/host/checkout",
    folder: "/workspace/packages/p",
    build: {
      system: "pip",
      evidence: "pyproject.toml",
      install: "pip install -e /workspace/packages/p && cp /workspace/shared.txt .",
      toolchains: ["python3"],
    },
    server: {
      type: "stdio" as const,
      command: ["/workspace/packages/p/.venv/bin/python", "--root=/workspace/packages/p", "/workspace2/x"],
      env: { TOKEN: "s3cret-value", HEADER: "Bearer s3cret-value" },
      cwd: "/workspace/packages/p",
    },
    variables: [{ name: "TOKEN", value: "s3cret-value", source: "given as a secret", secret: true }],
  },
  sourcePath: "/workspace",
  args: [],
  variables: { REGION: "eu", TOKEN: "s3cret-value" },
  secrets: new Map([["TOKEN", "s3cret-value"]]),
};

t.test("settings hold neither a path of this machine nor a secret", (t) => {
  const settings = ciSettings(facts);
  t.same(settings.plan.server.command, [
    "{plugin}/.venv/bin/python",
    "--root={plugin}",
    "/workspace2/x",
  ]);
  t.equal(settings.plan.build?.install, "pip install -e {plugin} && cp {plugin}/../../shared.txt .");
  t.same(settings.variables, { REGION: "eu" });
  t.same(settings.secrets, ["TOKEN"]);
  t.notMatch(JSON.stringify(settings), "s3cret-value");
  t.notMatch(JSON.stringify(settings), "/host/checkout");
  t.end();
});

t.test("the runner puts its own folder and secrets in", (t) => {
  const filled = fillSettings(ciSettings(facts), "/ci/p", new Map([["TOKEN", "other"]]));
  t.equal(filled.plan.folder, "/ci/p");
  t.match(filled.plan.server, { cwd: "/ci/p", env: { TOKEN: "other", HEADER: "Bearer other" } });
  t.equal(filled.plan.server.command?.[0], "/ci/p/.venv/bin/python");
  t.end();
});

t.test("the workflow gives secrets and toolchains, and works in the plugin's folder", (t) => {
  const { jobs } = parse(workflow(ciSettings(facts), "packages/p"));
  t.equal(jobs.test.defaults.run["working-directory"], "packages/p");
  const uses = jobs.test.steps.map((step: { uses?: string }) => step.uses).filter(Boolean);
  t.ok(uses.includes("actions/setup-python@v5"));
  const run = jobs.test.steps.find((step: { name?: string }) => step.name === "Run the tests");
  t.same(run.env, { TOKEN: "${{ secrets.TOKEN }}" });
  t.end();
});
