/** The published JSON report, `pth-report/1` (docs/report.schema.json). */
import { defineReporter } from "../reporter.ts";
import { escapeHidden } from "../../core/text.ts";
import { toReport } from "../report/report.ts";

export default defineReporter({
  name: "json",
  summary: "one JSON document, pth-report/1: everything that is known of a run",
  writes: "whole",
  create: (output) => ({
    end: (run) => output.write(escapeHidden(JSON.stringify(toReport(run), null, 2)) + "\n"),
  }),
});
