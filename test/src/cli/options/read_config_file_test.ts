import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { readConfigFile } from "../../../../src/cli/options/read_config_file.ts";
import { Problems } from "../../../../src/cli/options/problems.ts";

t.test("a configuration file names dependencies beside it, and mistakes are told by their place", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "pth-config-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "env.yaml");
  await writeFile(
    path,
    "dependency_plugins:\n  - source: ../db\n    build_command: make\n  - { source: 'npm:x@1' }\n",
  );
  const problems = new Problems();
  const config = await readConfigFile(path, problems);
  t.strictSame(config.dependencyPlugins, [
    { source: join(folder, "../db"), buildCommand: "make" },
    { source: "npm:x@1" },
  ]);
  await writeFile(path, "dependency_plugins:\n  - sorce: db\n    config_values: { 1A: x }\n");
  await readConfigFile(path, problems);
  t.throws(() => problems.throwIfAny("Cannot run"), {
    message:
      /env\.yaml:3:26 dependency_plugins\[0\]\.config_values.*env\.yaml:2:5 "sorce" is not known here \(did you mean "source"/s,
  });
});
