/** Tells what fuzzing found. */
import type { FuzzFind, FuzzReport } from "../../../machines/model/fuzz.ts";
import { foundText } from "../../testing/fuzz/found_test.ts";
import { boundedEnds } from "../bounded_tail.ts";
import { excludedToolRows } from "./test_rows.ts";
import { duration, joinLines, limitedList } from "./join_lines.ts";
import { count, firstLine } from "../../core/text.ts";

/** Limits on the text of finds: for people, for a model's first answer, and with detail. */
const forms = {
  usual: { finds: 30, message: { lines: 14, width: 300 }, input: 500 },
  brief: { finds: 10, message: { lines: 5, width: 200 }, input: 200 },
  whole: { finds: Infinity, message: { lines: 200, width: 2_000 }, input: 10_000 },
};

type FuzzForm = keyof typeof forms;

/** Drawn texts may turn a terminal's lines around, or hide in them. */
const visible = (text: string): string =>
  text.replace(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu, (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`);

/** One fault; `rerun` is how its test is run again. */
export function findText(find: FuzzFind, rerun?: string, shown = forms.usual): string {
  const { tool, oracle, severity, message, breach, input, steps, shrinks, shrinkMs, bound } = find;
  const { confirmed, test, file } = find;
  const kind = severity === "finding" ? "finding" : find.category ?? "failure";
  return visible(joinLines(
    `${severity === "finding" ? "~" : "✗"} ${tool}: ${oracle} [${kind}]`,
    ...boundedEnds(message, shown.message).map((line) => `    ${line}`),
    ...(steps ?? []).slice(0, -1).map((step, index) =>
      `    call ${index + 1}: ${step.tool} ${firstLine(JSON.stringify(step.input), shown.input)}`
    ),
    `    input: ${firstLine(JSON.stringify(input), shown.input)}${
      breach === undefined ? "" : ` (${breach})`
    }`,
    severity === "failure" && oracle !== "memory_growth" &&
      `    ${count(shrinks, "shrink")} in ${duration(shrinkMs)}${
        confirmed ? ", confirmed on a fresh server" : ""
      }${bound === undefined ? "" : `; perhaps not the smallest: ${bound}`}`,
    file !== undefined && `    test: ${file}`,
    test !== undefined && rerun !== undefined && `    again: ${rerun}`,
  ));
}

/**
 * @param rerun how the test of a find is run again
 * @param again how the whole search is made again
 */
export function fuzzText(
  report: FuzzReport,
  rerun: (find: FuzzFind) => string | undefined,
  { form = "usual", again }: { form?: FuzzForm; again: string },
): string {
  const { tools, finds, heldBack, cutShort, startFailed } = report;
  const shown = forms[form];
  const notes = tools.flatMap(({ tool, note }) => note === undefined ? [] : [`${tool}: ${note}`]);
  return joinLines(
    form !== "usual" && figuresText(report),
    ...limitedList(
      finds.map((find) => findText(find, rerun(find), shown)),
      shown.finds,
      form === "brief" ? "more finds: again with this seed and detail: true" : "more",
    ),
    ...limitedList(notes, form === "whole" ? Infinity : 20),
    ...(form === "usual" ? limitedList(heldBack.map(excludedToolText), 20) : excludedToolRows(heldBack)),
    startFailed !== undefined && `✗ The server does not start any more: ${firstLine(startFailed)}`,
    cutShort !== undefined && `Not tried: ${cutShort}`,
    form === "usual" && figuresText(report),
    `again: ${again}`,
  );
}

const excludedToolText = ({ tool, reason }: FuzzReport["heldBack"][number]): string =>
  `Excluded: ${tool} (${reason})`;

function figuresText({ seed, runs, tools, finds, restarts, durationMs }: FuzzReport): string {
  const calls = tools.reduce((sum, tool) => sum + tool.calls, 0);
  return `${foundText(finds)} in ${
    count(tools.length, "tool")
  }, ${calls} inputs (at most ${runs} each), seed ${seed}, ${
    duration(durationMs)
  }, server started anew ${restarts} times`;
}
