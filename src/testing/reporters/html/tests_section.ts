/** All tests, what failed first, each a `details` element that opens without JavaScript. */
import { nameOfOutcome } from "../../run/acceptance_finding.ts";
import { groupOf } from "../../reporter.ts";
import type { Report, ReportTest } from "../../report/report_schema.ts";
import { firstLine, formatDuration, plainLine } from "../../../core/text.ts";
import { emptyMarkup, type Markup, markup, shortenedText, trustedMarkup } from "./markup.ts";
import { testDetails } from "./test_details.ts";

/** Failures beyond these stay closed, so that the page's outline can be seen. */
const mostOpen = 10;

/** Most tools that are named with a test of several steps. */
const mostTools = 3;

const open = trustedMarkup(" open");
const order = ["failed", "flaky", "skipped", "passed"] as const;
const marks = { failed: "✗", flaky: "~", skipped: "–", passed: "✓" } as const;

export function testsSection(report: Report, room: number): Markup {
  if (report.tests.length === 0) return emptyMarkup;
  const sorted = order.flatMap((status) => report.tests.filter((test) => test.status === status));
  return markup`<section id="tests"><h2>Tests</h2>
${statusFilters(report.tests)}
<ol class="tests" id="test-list">
${sorted.map((test, index) => testItem(test, index, room))}</ol>
${noMatch}
</section>
`;
}

function testItem(test: ReportTest, index: number, room: number): Markup {
  const { status, tier } = test;
  const tools = test.tool === undefined ? test.tools ?? [] : [test.tool];
  const chips = test.own === undefined
    ? [...tools.slice(0, mostTools), ...(tools.length > mostTools ? ["…"] : [])].join(", ")
    : groupOf(test);
  return markup`<li class="test ${status}" id="test-${index + 1}" data-status="${status}" data-tier="${tier}"
 data-tools="${JSON.stringify(tools)}">
<details${status === "failed" && index < mostOpen ? open : emptyMarkup}><summary>
<span class="mark" role="img" aria-label="${status}">${marks[status]}</span>
<span class="name">${shortenedText(plainLine(nameOfOutcome(test.name, test.note)), 300)}</span>
${chips === "" ? emptyMarkup : markup`<span class="tool">${shortenedText(chips, 80)}</span>`}
${tier === 1 ? emptyMarkup : markup`<span class="tier">tier ${tier}</span>`}
<span class="time">${formatDuration(test.duration_ms)}</span>
${headline(test)}</summary>
${testDetails(test, room)}</details></li>
`;
}

/** Facts that are visible while the test is folded. */
function headline(test: ReportTest): Markup {
  const text = test.status === "failed" ? plainLine(firstLine(test.message ?? "failed")) : test.note;
  return text === undefined || text === ""
    ? emptyMarkup
    : markup`<span class="why">${shortenedText(plainLine(text), 220)}</span>`;
}

function statusFilters(tests: readonly ReportTest[]): Markup {
  const tools = [...new Set(tests.flatMap((test) => test.tool ?? test.tools ?? []))].sort();
  const tiers = [...new Set(tests.map(({ tier }) => tier))].sort();
  const statuses = (["failed", "flaky", "skipped", "passed"] as const)
    .map((status) => ({ status, amount: tests.filter((test) => test.status === status).length }))
    .filter(({ amount }) => amount > 0);
  return filterForm(statuses, [
    filterSelect("tier", "Tier", tiers.map((tier) => [String(tier), `tier ${tier}`])),
    filterSelect("tool", "Tool", tools.map((tool) => [tool, shortenedText(tool, 60)])),
  ]);
}

/** Form that the page's script shows, and by which it hides tests. */
export const filterForm = (
  statuses: readonly { status: string; amount: number; class?: string }[],
  selects: readonly Markup[],
): Markup =>
  markup`<form id="filters" role="search" hidden>
<label class="search"><span>Search</span>
<input type="search" id="text" autocomplete="off" placeholder="Name, message, tool … ( / )"></label>
<fieldset><legend>Status</legend>
${statuses.map(({ status, amount, class: colour = status }) => checkbox(status, amount, colour))}</fieldset>
${selects}
<p class="actions"><button type="button" id="open-all">Open all</button>
<button type="button" id="close-all">Close all</button>
<output id="shown" aria-live="polite"></output></p>
</form>`;

/** Text in place of tests where the filters hide all of them, with the way back. */
export const noMatch = trustedMarkup(
  `<p id="no-match" hidden>No test matches. <button type="button" id="show-all">Show all</button></p>`,
);

const checkbox = (status: string, amount: number, colour: string): Markup =>
  markup`<label class="${colour}"><input type="checkbox" name="status" value="${status}" checked>
${status} ${amount}</label>
`;

/** @param id `tool` or `tier`; absent from the page where there is nothing to choose */
export function filterSelect(
  id: string,
  label: string,
  options: readonly (readonly [string, string])[],
): Markup {
  if (options.length < 2) return emptyMarkup;
  return markup`<label><span>${label}</span><select id="${id}"><option value="">all</option>${
    options.map(([value, text]) => markup`<option value="${value}">${text}</option>`)
  }</select></label>`;
}
