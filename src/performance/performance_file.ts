/** Writes a performance report to a file (`pth-performance/1`) and compares it with an earlier one. */
import * as z from "zod";
import type { PerformanceReport, ToolPerformance } from "../../machines/model/performance.ts";
import { PthError } from "../core/errors.ts";
import { issueText } from "../core/issue_text.ts";
import { readSource } from "../core/read_source.ts";
import { roundToThousandth } from "../core/values.ts";

const performanceFormat = "pth-performance/1";

const percentiles = z.looseObject({ p50: z.number(), p95: z.number() });
/** Only what is compared has to be there. */
const fileSchema = z.looseObject({
  format: z.literal(performanceFormat),
  tools: z.array(z.looseObject({
    tool: z.string(),
    responseMs: percentiles,
    answerBytes: percentiles,
    cpuMsPerCall: z.number().optional(),
    diskWrittenBytes: z.number().optional(),
  })),
});

export type EarlierReport = Pick<PerformanceReport, "tools">;

export const writePerformance = (report: PerformanceReport): string =>
  `${JSON.stringify({ format: performanceFormat, ...report }, null, 2)}\n`;

/** @throws {PthError} `INVALID_INPUT` with every mistake at `file:line:column` */
export function parsePerformance(file: string, text: string): EarlierReport {
  const { problems, documents: [document] } = readSource(
    file.endsWith(".json") ? file : `${file}.json`,
    text,
  );
  const parsed = fileSchema.safeParse(document?.value);
  if (problems.length === 0 && parsed.success) return parsed.data as unknown as EarlierReport;
  const mistakes = problems.length > 0
    ? problems.map(({ line, column, message }) => `${file}:${line}:${column} ${message}`)
    : (parsed.error?.issues ?? []).map((issue) => {
      const { line, column } = document?.place(issue.path as (string | number)[]) ?? { line: 1, column: 1 };
      return `${file}:${line}:${column} ${issueText(issue, document?.value)}`;
    });
  throw new PthError("INVALID_INPUT", `Cannot read performance report ${file}\n${mistakes.join("\n")}`, {
    problems: mistakes,
    next: [{ terminal: "Write one: pth perf <target> --output FILE.json" }],
  });
}

interface PerformanceRatio {
  tool: string;
  dimension: string;
  before: number;
  now: number;
  /** Now by before. */
  ratio: number;
}

/** Figures that are compared, each with the difference below which it is noise on any machine. */
const compared: [dimension: string, noise: number, of: (tool: ToolPerformance) => number | undefined][] = [
  ["response time p50 (ms)", 2, ({ responseMs }) => responseMs.p50],
  ["response time p95 (ms)", 10, ({ responseMs }) => responseMs.p95],
  ["cpu per call (ms)", 5, ({ cpuMsPerCall }) => cpuMsPerCall],
  ["answer size (bytes)", 100, ({ answerBytes }) => answerBytes.p50],
  ["written per call (bytes)", 4096, ({ diskWrittenBytes }) => diskWrittenBytes],
];

/** Differences of more than a quarter, the worst first. Both reports must be of the same machine to be comparable. */
export function compareWithEarlier(earlier: EarlierReport, now: EarlierReport): PerformanceRatio[] {
  const before = new Map(earlier.tools.map((tool) => [tool.tool, tool]));
  const ratios = now.tools.flatMap((tool) => {
    const old = before.get(tool.tool);
    if (old === undefined) return [];
    return compared.flatMap(([dimension, noise, of]): PerformanceRatio[] => {
      const [was, is] = [of(old), of(tool)];
      if (was === undefined || is === undefined || Math.abs(is - was) < noise) return [];
      const ratio = roundToThousandth(is / Math.max(was, noise / 10));
      return ratio > 1.25 || ratio < 0.8 ? [{ tool: tool.tool, dimension, before: was, now: is, ratio }] : [];
    });
  });
  return ratios.sort((a, b) => b.ratio - a.ratio);
}

export function ratioRows(ratios: readonly PerformanceRatio[]): string[] {
  if (ratios.length === 0) {
    return ["Compared with the earlier report: no figure differs by more than a quarter."];
  }
  return [
    "Compared with the earlier report:",
    ...ratios.map(({ tool, dimension, before, now, ratio }) =>
      `- ${tool}: ${dimension} ${before} -> ${now}, ${
        ratio >= 1 ? `${ratio.toFixed(1)} times` : `down to ${Math.round(ratio * 100)} %`
      }`
    ),
  ];
}
