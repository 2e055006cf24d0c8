import { join } from "node:path";
import t from "tap";
import type { InstallCheckResult } from "../../../machines/model/install_check.ts";
import { runCli } from "../../../src/cli/main.ts";
import { renderInstallChecks } from "../../../src/install_checks/render_install_checks.ts";
import { writeTextFile } from "../../../src/platform/files.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { keptContext, scriptedHarness } from "./scripted_harness.ts";

async function pth(...args: string[]) {
  const played = scriptedHarness();
  const kept = keptContext(played);
  const exitCode = await runCli(["verify-install", ...args], kept.context);
  return { exitCode, stderr: kept.stderr(), calls: played.calls };
}

t.test("everything that is wrong with the command line is told at once, and nothing starts", async (t) => {
  const { exitCode, stderr, calls } = await pth(
    ...["/nowhere/package", "--kind", "deb", "--timeout", "soon", "--env", "moon"],
  );
  t.equal(exitCode, 2);
  for (
    const problem of [
      /--kind expects one of .*npm.*, not "deb"/,
      /--timeout expects a number/,
      /there is no folder and no archive \/nowhere\/package/,
      /--env/,
    ]
  ) t.match(stderr, problem);
  t.strictSame(calls, []);
});

t.test("a file that is no archive is refused, and a package has to be named", async (t) => {
  const file = join(await temporaryFolder(t), "notes.txt");
  await writeTextFile(file, "");
  t.match(await pth(file, "--env", "host"), {
    exitCode: 2,
    stderr: /notes\.txt is no archive of a known package/,
    calls: [],
  });
  t.match(await pth(), { exitCode: 2, calls: [] });
});

const parts = { tools: ["echo"], skills: [], commands: [], agents: [], hooks: [], programs: [] };
const whole: InstallCheckResult = {
  kind: "npm",
  name: "pkg",
  version: "1.2.0",
  faults: [],
  source: parts,
  installed: parts,
  notes: [],
};

t.test("a fault is told with its place and its next step, a whole package with its parts", (t) => {
  t.equal(renderInstallChecks([whole]), "npm  pkg 1.2.0: installs as it should\n  tools      echo\n");
  const fault = {
    code: "not-packed" as const,
    place: "bin/a.js:2",
    message: "lib/b.js is in the source and not in the package",
    next: "Add it",
    output: "one\ntwo",
  };
  const faulty = {
    ...whole,
    faults: [fault],
    installed: { ...parts, tools: [] },
    notes: ["not all was started"],
  };
  t.equal(
    renderInstallChecks([faulty]),
    `npm  pkg 1.2.0: 1 fault
  ✗ bin/a.js:2  lib/b.js is in the source and not in the package  [not-packed]
      Add it
      │ one
      │ two
  tools      none (the source has 1 more)
  note: not all was started
`,
  );
  t.end();
});
