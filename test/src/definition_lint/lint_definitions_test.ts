import t from "tap";
import { lintDefinitions } from "../../../src/definition_lint/lint_definitions.ts";
import { hostPluginFiles } from "../../../src/definition_lint/plugin_files.ts";
import { chmod, symlink } from "node:fs/promises";
import { join } from "node:path";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { cwd } from "../../../src/platform/host.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

t.test("PTH's own plugin has no finding", async (t) => {
  // Compiled tests lie elsewhere; all run in the checkout.
  const { findings, parts } = await lintDefinitions(await hostPluginFiles(cwd()));
  t.same(findings, []);
  t.ok(parts.skills >= 3 && parts.commands >= 3 && parts.agents >= 1);
});

t.test("run bits are read, and links out of the plugin are nothing", async (t) => {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, "sub"));
  await writeTextFile(join(folder, "run.sh"), "#!/bin/sh\n");
  await chmod(join(folder, "run.sh"), 0o755);
  await writeTextFile(join(folder, "read.sh"), "x");
  await symlink("/etc/hostname", join(folder, "out"));
  await symlink("run.sh", join(folder, "in"));
  const files = await hostPluginFiles(folder);
  t.match(await files.stat("run.sh"), { kind: "file", isExecutable: true });
  t.match(await files.stat("read.sh"), { kind: "file", isExecutable: false });
  t.match(await files.stat("sub"), { kind: "folder" });
  t.match(await files.stat("in"), { kind: "file", isExecutable: true });
  t.equal(await files.stat("out"), undefined);
  t.equal(await files.stat("none"), undefined);
  t.same(await files.list("none"), []);
  t.equal(await files.read("sub"), undefined);
});

t.test("findings stand in the order of files and lines", async (t) => {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, "commands"));
  await writeTextFile(join(folder, "commands/b.md"), "---\nx: 1\ny: 2\n---\n");
  await writeTextFile(join(folder, "commands/a.md"), "none");
  const { findings } = await lintDefinitions(await hostPluginFiles(folder));
  t.match(findings.map(({ file, line, rule }) => `${file}:${line} ${rule}`), [
    ".claude-plugin/plugin.json:1 manifest",
    "commands/a.md:1 command-front-matter",
    "commands/b.md:1 command-front-matter",
    "commands/b.md:2 command-front-matter",
    "commands/b.md:3 command-front-matter",
  ]);
});
