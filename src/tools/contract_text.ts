/** Contracts and their cost in a few lines. */
import type { ContractCheck, TokenCost } from "../../machines/model/contract.ts";
import { changeRow, changesSummary } from "../contract/changes_text.ts";
import { count, lines, listed } from "./words.ts";

const rowsShown = 20;

/** After a load or a reload: what may break clients, and that there is more. */
export function contractText({ baseline, changes, breaking }: ContractCheck): string {
  if (changes.length === 0) return "";
  const rows = changes.filter(({ impact }) => impact === "breaking").map(changeRow);
  return lines(
    `Beside ${baseline}: ${changesSummary(changes)}`,
    ...listed(rows, 10),
    changes.length > breaking || rows.length > 10 ? "All of them: pth_check_contract({})" : undefined,
  );
}

/** All changes, the breaking ones first. */
export const changeRows = (changes: ContractCheck["changes"], detail: boolean | undefined): string[] =>
  listed(changes.map(changeRow), detail ? Infinity : rowsShown, "more; ask with detail: true");

/** The whole and the dearest; the figures are exact for one tokenizer only. */
export function tokenCostText({ tokenizer, list, tools, answers, instructions }: TokenCost): string {
  const dearest = [...tools].sort((a, b) => b.tokens - a.tokens).slice(0, 5);
  const longest = [...answers].sort((a, b) => b.maxTokens - a.maxTokens).slice(0, 5);
  return lines(
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
