/** One page for people: opens from disk, from a mail or from CI's artifacts. */
import { toReport } from "../report/report.ts";
import { defineReporter } from "../reporter.ts";

let page: typeof import("./html/document.ts");

export default defineReporter({
  name: "html",
  summary: "one page: failures first with their differences, findings, coverage, impact, performance",
  writes: "whole",
  async prepare() {
    page = await import("./html/document.ts");
  },
  create: (output) => ({ end: (run) => output.write(page.htmlDocument(toReport(run))) }),
});
