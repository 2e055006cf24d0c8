/** Contracts and their cost in a few lines. */
import type { ContractCheck, TokenCost } from "../../../machines/model/contract.ts";
import { changeRow, changesSummary } from "../../contract/changes_summary.ts";
import { groupBy } from "../../core/values.ts";
import { limitItems } from "../limit_items.ts";
import { joinLines, limitedList } from "./join_lines.ts";
import { count, firstLine } from "../../core/text.ts";
import type { Finding } from "../../../machines/model/verdict.ts";

const rowsShown = 20;

/** Tells after a load or a reload what may break clients, and that there is more. */
export function contractText({ baseline, changes, breaking }: ContractCheck): string {
  if (changes.length === 0) return "";
  const rows = changes.filter(({ impact }) => impact === "breaking").map(changeRow);
  return joinLines(
    `Beside ${baseline}: ${changesSummary(changes)}`,
    ...limitedList(rows, 10),
    changes.length > breaking || rows.length > 10 ? "All of them: pth_check_contract({})" : undefined,
  );
}

/** Facts as programs get them: long lists cut, unless all is wanted. */
export function contractData(check: ContractCheck, detail: boolean | undefined) {
  const { rows, leftOut } = limitItems(check.changes, detail);
  return { ...check, changes: rows, ...(leftOut === undefined ? {} : { leftOut }) };
}

/** Groups findings by code, with one message of each; with detail all of them. */
export function lintText(findings: readonly Finding[], detail: boolean | undefined): string {
  if (findings.length === 0) return "No findings on the definitions.";
  const groups = groupBy(findings, ({ code, severity }) => `${code} (${severity})`);
  const rows = [...groups].flatMap(([title, group]) =>
    detail
      ? [`${title}:`, ...group.map(({ tool, message }) => `- ${tool ? `${tool}: ` : ""}${message}`)]
      : [groupRow(title, group)]
  );
  return joinLines(
    `${count(findings.length, "finding")}:`,
    ...rows,
    !detail && findings.length > groups.size && "All messages: pth_lint_plugin({ detail: true })",
  );
}

function groupRow(title: string, group: readonly Finding[]): string {
  const tools = [...new Set(group.flatMap(({ tool }) => tool ?? []))];
  const names = tools.length === 0 ? "" : ` ${limitedList(tools, 8).join(", ")}:`;
  return `- ${title}:${names} ${firstLine(group[0]!.message, 160)}`;
}

/** All changes, the breaking ones first. */
export const changeRows = (changes: ContractCheck["changes"], detail: boolean | undefined): string[] =>
  limitedList(changes.map(changeRow), detail ? Infinity : rowsShown, "more; ask with detail: true");

/** The whole and the dearest; the figures are exact for one tokenizer only. */
export function tokenCostText({ tokenizer, list, tools, answers, instructions }: TokenCost): string {
  const dearest = [...tools].sort((a, b) => b.tokens - a.tokens).slice(0, 5);
  const longest = [...answers].sort((a, b) => b.maxTokens - a.maxTokens).slice(0, 5);
  return joinLines(
    `Context: tools/list costs ${count(list.tokens, "token")} (${count(list.bytes, "byte")})` +
      (instructions ? `, the instructions ${count(instructions.tokens, "token")}` : "") +
      `; counted with ${tokenizer}, an estimate for other models`,
    dearest.length > 0 &&
      `Dearest definitions: ${dearest.map(({ tool, tokens }) => `${tool} ${tokens}`).join(", ")}`,
    longest.length > 0 &&
      `Answers (median, longest): ${
        longest.map(({ tool, medianTokens, maxTokens }) => `${tool} ${medianTokens}, ${maxTokens}`).join("; ")
      }`,
  );
}
