/** `pth agent new-test` on what sessions have written. */
import { join } from "node:path";
import t from "tap";
import { runCli } from "../../../src/cli/main.ts";
import { mkdir, readTextFile, writeTextFile } from "../../../src/platform/files.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { keptContext, scriptedHarness } from "./scripted_harness.ts";

async function pth(...args: string[]) {
  const kept = keptContext(scriptedHarness());
  const exitCode = await runCli(["agent", "new-test", ...args], kept.context);
  return { exitCode, stdout: kept.stdout(), stderr: kept.stderr() };
}

const trace = {
  format: "pth-agent-trace/1",
  timeline: [
    { type: "prompt", text: "go", hooks: [] },
    { type: "turn", lane: "main", calls: [], text: "Gone." },
    { type: "end", text: "Gone.", hooks: [] },
  ],
  changes: [],
  warnings: [],
};

t.test("a trace, a result and a report are read alike, and the test goes to stdout or a new file", async (t) => {
  const folder = await temporaryFolder(t);
  const write = async (name: string, value: unknown) => {
    await writeTextFile(join(folder, name), typeof value === "string" ? value : JSON.stringify(value));
    return join(folder, name);
  };
  const report = { schema_version: "2.0", execution: { agent: "codex" }, debug: { trace }, expectations: [] };
  const files = [
    await write("trace.json", trace),
    await write("result.json", { agent: "codex", trace, failures: [] }),
    await write("report.json", report),
  ];
  for (const file of files) {
    const { exitCode, stdout } = await pth(file);
    t.equal(exitCode, 0);
    t.match(stdout, /test_id: new-001\n[^]*pattern: Gone/);
    t.equal(stdout.includes("agent: codex"), !file.endsWith("trace.json"));
  }
  await mkdir(join(folder, "tests"));
  await mkdir(join(folder, "books"));
  const playbook = await write("books/go.yaml", "turns: [{ text: Gone. }]\n");
  const out = join(folder, "tests/test_go.yaml");
  t.equal((await pth(files[0]!, "--out", out, "--playbook", playbook)).exitCode, 0);
  t.match(await readTextFile(out), /test_id: go-001\n[^]*playbook: books\/go\.yaml\n/);

  const again = await pth(files[0]!, "--out", out);
  t.equal(again.exitCode, 2);
  t.match(again.stderr, "the file exists");
  t.match((await pth(files[0]!, "--out", join(folder, "go.yaml"))).stderr, /tests are called test_….yaml/);
  t.match((await pth(files[0]!, "--playbook", "x.ts")).stderr, "playbooks in YAML and JSON");
  t.match((await pth()).stderr, "name a session");
  t.match((await pth(await write("a.json", "{"))).stderr, "is no JSON");
  t.match((await pth(await write("b.json", { trace: { format: "x" } }))).stderr, "holds no trace");
  const failed = {
    ...report,
    expectations: [{ type: "session", failure_reason: "it ran for more than 1 s" }],
  };
  t.match((await pth(await write("c.json", failed))).stderr, /the session failed: it ran for more than 1 s/);
});
