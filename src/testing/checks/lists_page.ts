/** Lists come page by page, to an end, without an item or a cursor twice (MCP, "Pagination"). */
import type { Finding } from "../../../machines/model/verdict.ts";
import { count, oneLine, textExcerpt } from "../../core/text.ts";
import { isObject } from "../../core/values.ts";
import { type CheckContext, checkFailed, checkPassed, defineCheck } from "../check.ts";
import { skippingVerdict } from "../judge/failing_verdict.ts";
import { askOrPing, listItems, type ServerList, serverLists } from "../server_lists.ts";

/** Most pages of one list that are followed. */
const mostPages = 20;
/** Time in ms after which no further page is asked for. */
const followMs = 10_000;
const wrongCursor = "pth-no-such-cursor";

/** Outcome for one list. */
interface Walk {
  pages: number;
  /** Violation that fails the check. */
  problem?: string;
  /** Reason why the end was not seen. */
  unseen?: string;
  finding?: Finding;
}

export default defineCheck({
  name: "lists_page",
  summary: "pages its lists to their end without repeats",
  category: "protocol-error",
  onlyAsks: true,
  async run(context) {
    const { capabilities } = context.server;
    const lists = serverLists.filter(({ capability }) => isObject(capabilities[capability]));
    if (lists.length === 0) return skippingVerdict("the server advertises no list");
    const end = performance.now() + followMs;
    const walks: (Walk & { method: string })[] = [];
    for (const list of lists) walks.push({ method: list.method, ...await walk(context, list, end) });
    const findings = walks.flatMap(({ finding }) => finding ?? []);
    const problems = walks.flatMap(({ method, problem }) =>
      problem === undefined ? [] : [`${method}: ${problem}`]
    );
    if (problems.length > 0) return checkFailed(this.category, problems.join("\n  "), problems, findings);
    const unseen = walks.flatMap(({ method, unseen }) =>
      unseen === undefined ? [] : [`${method}: ${unseen}`]
    );
    if (unseen.length > 0) return { ...skippingVerdict(unseen.join("; ")), findings };
    const paged = walks.filter(({ pages }) => pages > 1);
    const note = paged.map(({ method, pages }) => `${method}: ${count(pages, "page")}`).join(", ");
    return checkPassed(note === "" ? "no list has more than one page" : note, findings);
  },
});

/** Follows one list's cursors; a list that is refused at its first page has no pages to judge. */
async function walk(context: CheckContext, list: ServerList, end: number): Promise<Walk> {
  const items = new Map<string, number>();
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 1;; pages++) {
    const answer = await askOrPing(context, list.method, cursor === undefined ? {} : { cursor });
    if (answer === undefined) return { pages, unseen: `page ${pages} did not come in time` };
    const { kind, text, raw } = answer;
    const page = kind === "result" ? listItems(list, raw) : undefined;
    if (page === undefined) {
      if (pages > 1) {
        return { pages, problem: `the cursor of page ${pages - 1} was refused: ${oneLine(text)}` };
      }
      return list.optional
        ? { pages: 0 }
        : { pages: 0, unseen: `no list: ${oneLine(text || textExcerpt(raw))}` };
    }
    const again = repeated(items, page, pages, list);
    if (again !== undefined) return { pages, problem: again };
    const next = isObject(raw) ? raw.nextCursor : undefined;
    if (typeof next !== "string" || next === "") return await atTheEnd(context, list, pages, next);
    if (cursors.has(next)) {
      return { pages, problem: `the pages never end: cursor ${textExcerpt(next, 80)} came again` };
    }
    if (pages >= mostPages) {
      return { pages, unseen: `it has more than ${mostPages} pages, which were not followed` };
    }
    if (performance.now() > end) {
      return { pages, unseen: `${count(pages, "page")} came in time; no more were asked for` };
    }
    cursors.add(next);
    cursor = next;
  }
}

/** The first item that an earlier page had; items of one page are not compared. */
function repeated(
  pageOf: Map<string, number>,
  page: unknown[],
  number: number,
  { texts: [key] }: ServerList,
): string | undefined {
  for (const item of page) {
    const name = isObject(item) ? item[key] : undefined;
    if (typeof name !== "string") continue;
    const before = pageOf.get(name);
    if (before !== undefined && before < number) {
      return `page ${number} repeats ${textExcerpt(name, 80)} of page ${before}`;
    }
    pageOf.set(name, number);
  }
  return undefined;
}

/** SDKs whose lists have one page ignore any cursor: only one that pages is asked for a page that is not there. */
async function atTheEnd(
  context: CheckContext,
  { method }: ServerList,
  pages: number,
  next: unknown,
): Promise<Walk> {
  if (next === null) {
    return {
      pages,
      finding: warning("null-cursor", `${method} ends with nextCursor null; clients expect it to be absent`),
    };
  }
  if (
    pages === 1 || (await askOrPing(context, method, { cursor: wrongCursor }))?.kind !== "result"
  ) {
    return { pages };
  }
  return {
    pages,
    finding: warning(
      "cursor-not-checked",
      `${method} answers a cursor that it never gave with a page, not with an error`,
    ),
  };
}

const warning = (code: string, message: string): Finding => ({ severity: "warning", code, message });
