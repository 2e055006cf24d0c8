import { join } from "node:path";
import t from "tap";
import { runCli } from "../../../src/cli/main.ts";
import type { DefinitionReport } from "../../../src/definition_lint/lint_definitions.ts";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { keptContext, scriptedHarness } from "./scripted_harness.ts";

async function pth(...args: string[]) {
  const kept = keptContext(scriptedHarness());
  const exitCode = await runCli(["lint", ...args], kept.context);
  return { exitCode, stdout: kept.stdout(), stderr: kept.stderr() };
}

t.test("findings are told with file, line and what to do; errors fail, and warnings with --strict", async (t) => {
  const plugin = await temporaryFolder(t);
  await mkdir(join(plugin, ".claude-plugin"));
  const manifest = (value: object) =>
    writeTextFile(join(plugin, ".claude-plugin/plugin.json"), JSON.stringify(value, undefined, 2));
  await manifest({ name: "p", version: "1", description: "d" });
  const warned = await pth(plugin);
  t.equal(warned.exitCode, 0);
  t.match(
    warned.stdout,
    '.claude-plugin/plugin.json:3:14 warning "1" is no semantic version [manifest]\n    Write three numbers',
  );
  t.match(warned.stdout, "0 errors, 1 warning in 0 skills, 0 commands, 0 agents, 0 hooks\n");
  t.equal((await pth(plugin, "--strict")).exitCode, 1);
  t.equal((await pth(plugin, "--strict", "--rule", "marketplace")).exitCode, 0);
  await manifest({ name: "p", version: "1.0.0", description: "d", author: 3 });
  const failed = await pth(plugin, "--json");
  t.equal(failed.exitCode, 1);
  t.match((JSON.parse(failed.stdout) as DefinitionReport).findings, [{
    rule: "manifest",
    severity: "error",
    file: ".claude-plugin/plugin.json",
    line: 5,
  }]);
  await manifest({ name: "p", version: "1.0.0", description: "d" });
  t.match(await pth(plugin), { exitCode: 0, stdout: /^No findings in/ });
});

t.test("a folder and rules that there are not are told", async (t) => {
  const { exitCode, stderr } = await pth("/nowhere", "--rule", "manifst");
  t.equal(exitCode, 2);
  t.match(stderr, "/nowhere is none");
  t.match(stderr, 'there is no rule manifst (did you mean "manifest"?)');
});
