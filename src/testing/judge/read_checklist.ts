/** An agent's judgement of a checklist, read from its last words. */
import type { JudgedItem } from "../../../machines/model/verdict.ts";
import { oneLine, textExcerpt } from "../../core/text.ts";
import { isObject, jsonIn } from "../../core/values.ts";

/** Every item judged once, with evidence, in the order of the checklist; else the problems. */
export function readChecklist(
  text: string,
  checklist: readonly string[],
): { items: JudgedItem[]; problems: string[] } {
  const judged = entriesIn(text);
  if (judged === undefined) {
    const said = text.trim() === "" ? "nothing" : oneLine(text, 200);
    return { items: [], problems: [`expected {"checklist":[…]} as the last words, got ${said}`] };
  }
  const items: JudgedItem[] = [];
  const problems: string[] = [];
  for (const item of checklist) {
    const own = judged.filter((entry) => isObject(entry) && sameItem(entry.item, item));
    const [entry] = own;
    if (own.length !== 1) {
      problems.push(`"${item}" is judged ${own.length === 0 ? "not at all" : `${own.length} times`}`);
    } else if (!isObject(entry) || typeof entry.met !== "boolean") {
      problems.push(
        `"${item}": expected met: true or false, got ${textExcerpt((entry as { met?: unknown }).met, 80)}`,
      );
    } else if (entry.met && (typeof entry.evidence !== "string" || entry.evidence.trim() === "")) {
      problems.push(`"${item}" is said to be met without evidence`);
    } else {items.push({
        item,
        met: entry.met,
        evidence: typeof entry.evidence === "string" ? entry.evidence : "",
      });}
  }
  for (const entry of judged) {
    if (isObject(entry) && checklist.some((item) => sameItem(entry.item, item))) continue;
    problems.push(`no item of this test: ${textExcerpt(isObject(entry) ? entry.item : entry, 120)}`);
  }
  return problems.length > 0 ? { items: [], problems } : { items, problems };
}

const sameItem = (said: unknown, item: string): boolean =>
  typeof said === "string" && said.trim() === item.trim();

/** The list in the text, which may have words or a fence around it. */
function entriesIn(text: string): unknown[] | undefined {
  const value = jsonIn(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  return isObject(value) && Array.isArray(value.checklist) ? value.checklist : undefined;
}
