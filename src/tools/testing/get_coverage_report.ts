import * as z from "zod";
import { coverageSummary, fileText, mostGaps } from "../../testing/coverage/coverage_text.ts";
import { lcov } from "../../testing/coverage/lcov.ts";
import { countOf, shownPath } from "../../testing/coverage/line_ranges.ts";
import { PthError } from "../../core/errors.ts";
import { detailField } from "../fields.ts";
import { coverageReport } from "../output/coverage.ts";
import { defineTool, readsOnly } from "../tool.ts";
import { joinLines } from "../text/join_lines.ts";

export default defineTool({
  title: "Read code coverage",
  description:
    "Which code of the plugin the tests ran, after pth_run_test_suite({ coverage: true }): figures, and what no test runs, with the tool " +
    "that it belongs to. Next: pth_create_test({ yaml }) for those places.",
  annotations: readsOnly,
  input: z.strictObject({
    file: z.string().min(1).exactOptional().describe(
      "One file, relative to the plugin's folder, line by line.",
    ),
    format: z.enum(["text", "lcov", "json"]).exactOptional().describe("Default: text."),
    uncoveredOnly: z.boolean().exactOptional().describe("Only files with uncovered code."),
    detail: detailField,
  }),
  output: coverageReport,
  // deno-lint-ignore require-await -- an error thrown here has to become a rejection
  async run({ file, format = "text", uncoveredOnly = false, detail }, { harness }) {
    const whole = harness.session().coverage.report();
    const wanted = file?.replace(/^(\.\/)+/, "");
    const chosen = whole.files.filter(({ path }) =>
      wanted === undefined || path === wanted || shownPath(path) === wanted
    );
    if (file !== undefined && chosen.length === 0) {
      throw noSuchFile(
        file,
        whole.files.map(({ path }) => shownPath(path)),
      );
    }
    const gaps = whole.gaps ?? [];
    const files = chosen.filter(({ path, lines }) =>
      !uncoveredOnly || gaps.some((gap) => gap.path === path) || Object.values(lines).includes(0)
    );
    const { totals, collector, notes } = whole;
    const figures = files.map(({ path, lines }) => ({ path, ...countOf(Object.values(lines)) }));
    const data = {
      collector,
      totals,
      files: figures,
      gaps: gaps.filter(({ path }) => files.some((one) => one.path === path)),
      notes,
    };
    if (format === "lcov") return { text: lcov({ ...whole, files }), data };
    if (format === "json") {
      const told = { ...whole, files, gaps: data.gaps };
      return { text: JSON.stringify(told), data: told };
    }
    const text = file === undefined
      ? coverageSummary({ ...whole, files, gaps: data.gaps }, detail)
      : files.flatMap((one) => fileText(one, gaps));
    const more = file === undefined && !detail && data.gaps.length > mostGaps;
    return { text: joinLines(...text, more && "All of them: detail: true, or file."), data };
  },
});

const noSuchFile = (file: string, known: readonly string[]): PthError =>
  new PthError("INVALID_INPUT", `Cannot show coverage of ${file}: no test loads such a file`, {
    next: [`Choose one of: ${known.slice(0, 20).join(", ")}`],
  });
