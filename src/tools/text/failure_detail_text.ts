/** Tells all that is known of one failure, part by part, as it was asked for. */
import type { Diagnosis } from "../../../machines/model/diagnosis.ts";
import { boundedTail, sectionHead, type TailLimits } from "../bounded_tail.ts";
import { joinLines, limitedList } from "./join_lines.ts";
import { firstLine } from "../../core/text.ts";

export const shownParts = ["exchange", "stderr", "stdout", "source", "environment"] as const;
export type ShownDetail = typeof shownParts[number];

interface Limits {
  /** Characters of the error, of a message, of all source. */
  text: number;
  messages: number;
  output: TailLimits;
  files: number;
}

const usual: Limits = { text: 1500, messages: 4, output: { lines: 30, characters: 3000 }, files: 10 };
/** No limits: what a diagnosis keeps is bounded already. */
const whole: Limits = {
  text: Infinity,
  messages: Infinity,
  output: { lines: Infinity, characters: Infinity },
  files: Infinity,
};

export function failureDetailText(
  diagnosis: Diagnosis,
  show: readonly ShownDetail[],
  detail: boolean,
): string {
  const limits = detail ? whole : usual;
  return joinLines(
    `\n— ${diagnosis.testName}`,
    ...diagnosis.evidence.map((sentence) => `  ${detail ? sentence : firstLine(sentence, 200)}`),
    `error:\n${sectionHead(diagnosis.error, limits.text)}`,
    ...show.map((part) => parts[part](diagnosis, limits)),
    ...(diagnosis.cut ?? []),
  );
}

const parts: Record<ShownDetail, (diagnosis: Diagnosis, limits: Limits) => string | false> = {
  exchange({ exchange }, { messages, text }) {
    if (exchange.length === 0) return false;
    const shown = exchange.slice(-messages).map((message) => sectionHead(JSON.stringify(message), text));
    const before = exchange.length - shown.length;
    return joinLines(`exchange${before > 0 ? `, without the ${before} messages before` : ""}:`, ...shown);
  },
  stderr: ({ stderr }, { output }) => stderr.trim() !== "" && `stderr:\n${boundedTail(stderr, output)}`,
  stdout: ({ stdout = "", commands = [] }, { output }) =>
    joinLines(
      stdout !== "" && `stdout outside the protocol:\n${boundedTail(stdout, output)}`,
      ...commands.map(({ exec, code, stdout, stderr }) =>
        `verify "${firstLine(exec, 120)}" exited with ${code}\n${boundedTail(`${stdout}${stderr}`, output)}`
      ),
    ),
  source: ({ excerpts }, { text: most }) =>
    sectionHead(
      excerpts.map(({ path, from, text, leftOut }) =>
        joinLines(`${path}:`, numbered(from, text), leftOut !== undefined && `      (${leftOut})`)
      ).join("\n"),
      most * 3,
    ),
  environment: ({ environment }, { files }) => factsText(environment, files),
};

function factsText(facts: Diagnosis["environment"], files: number): string {
  const { problems, processes, diskUsedPercent, memoryUsedPercent, oomKills, failedServices = [] } = facts;
  const { changedFiles = [] } = facts;
  return joinLines(
    `environment: ${
      [
        `${processes} processes`,
        diskUsedPercent !== undefined && `disk ${Math.round(diskUsedPercent)} % used`,
        memoryUsedPercent !== undefined && `memory ${Math.round(memoryUsedPercent)} % used`,
        oomKills && `${oomKills} killed for lack of memory`,
        failedServices.length > 0 && `failed services: ${failedServices.join(", ")}`,
        problems.join(" ") || "healthy",
      ].filter(Boolean).join("; ")
    }`,
    changedFiles.length > 0 && `uncommitted files: ${limitedList(changedFiles, files).join(", ")}`,
  );
}

const numbered = (from: number, text: string): string =>
  text.split("\n").map((line, index) => `${String(from + index).padStart(5)} ${line}`).join("\n");
