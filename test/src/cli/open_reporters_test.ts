import { join } from "node:path";
import t from "tap";
import { openReporters } from "../../../src/cli/open_reporters.ts";
import { makeTempDir, pathExists, readTextFile, removeIfExists } from "../../../src/platform/files.ts";
import json from "../../../src/testing/reporters/json.ts";
import junit from "../../../src/testing/reporters/junit.ts";
import tap from "../../../src/testing/reporters/tap.ts";
import { defineReporter } from "../../../src/testing/reporter.ts";

const silent = { write: () => {}, isTerminal: false, colour: false, columns: () => 80 };
const outputs = { stdout: silent, stderr: silent, env: () => undefined };
const request = { suite: {}, includeHeldBack: false, watch: false, phases: [] };

t.test("a report that cannot be written is told with its file, and the others are whole", async (t) => {
  const folder = await makeTempDir({ prefix: "pth-reports-" });
  t.teardown(() => removeIfExists(folder));
  const good = join(folder, "report.json");
  const reporters = await openReporters(
    {
      ...request,
      reporters: [
        { definition: junit, file: "/dev/full" },
        { definition: tap, file: "/dev/full" },
        { definition: json, file: good },
      ],
    },
    "plugin",
    outputs,
  );
  await t.rejects(reporters.finish({ exitCode: 0 }, []), {
    code: "REPORT_FAILED",
    message: /^Cannot write a report: \/dev\/full: .*(?:space|ENOSPC)/i,
  });
  t.equal(JSON.parse(await readTextFile(good)).schema, "pth-report/1");
  t.ok(await pathExists("/dev/full"));
  await t.rejects(
    openReporters({ ...request, reporters: [{ definition: tap, file: folder }] }, "plugin", outputs),
    { code: "REPORT_FAILED", message: new RegExp(folder) },
  );
});

t.test("a reporter that fails in the midst of a run still closes its document", async (t) => {
  const written: string[] = [];
  const broken = defineReporter({
    name: "broken",
    summary: "breaks",
    writes: "whole",
    create: () => ({
      "step.started": () => {
        throw new TypeError("cannot read");
      },
      end: () => void written.push("end"),
    }),
  });
  const reporters = await openReporters(
    { ...request, reporters: [{ definition: broken }] },
    "plugin",
    outputs,
  );
  reporters.follow({ type: "step.started", phase: "x", message: "y" });
  await t.rejects(reporters.finish({ exitCode: 0 }, []), /cannot read/);
  t.same(written, ["end"]);
});
