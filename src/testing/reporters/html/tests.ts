/** All tests, what failed first, each a `details` element that opens without JavaScript. */
import type { Report } from "../../report/report_schema.ts";
import type { ReportTest } from "../../report/schema/test.ts";
import { duration, oneLine } from "../text.ts";
import { filters } from "./filters.ts";
import { escaped, type Markup, nothing, trusted } from "./markup.ts";
import { shortened } from "./shortened.ts";
import { testDetails } from "./test_details.ts";

/** Failures beyond these stay closed, so that the page's outline can be seen. */
const mostOpen = 10;

/** Named beside a test of several steps. */
const mostTools = 3;

const open = trusted(" open");
const order = ["failed", "flaky", "skipped", "passed"] as const;
const marks = { failed: "✗", flaky: "~", skipped: "–", passed: "✓" } as const;

export function testsSection(report: Report, room: number): Markup {
  if (report.tests.length === 0) return nothing;
  const sorted = order.flatMap((status) => report.tests.filter((test) => test.status === status));
  return escaped`<section id="tests"><h2>Tests</h2>
${filters(report.tests)}
<ol class="tests" id="test-list">
${sorted.map((test, index) => testItem(test, index, room))}</ol>
<p id="no-match" hidden>No test matches. <button type="button" id="show-all">Show all</button></p>
</section>
`;
}

function testItem(test: ReportTest, index: number, room: number): Markup {
  const { status, tier } = test;
  const tools = test.tool === undefined ? test.tools ?? [] : [test.tool];
  const chips = [...tools.slice(0, mostTools), ...(tools.length > mostTools ? ["…"] : [])].join(", ");
  return escaped`<li class="test ${status}" id="test-${index + 1}" data-status="${status}" data-tier="${tier}"
 data-tools="${JSON.stringify(tools)}">
<details${status === "failed" && index < mostOpen ? open : nothing}><summary>
<span class="mark" role="img" aria-label="${status}">${marks[status]}</span>
<span class="name">${shortened(oneLine(test.name), 300)}</span>
${chips === "" ? nothing : escaped`<span class="tool">${shortened(chips, 80)}</span>`}
${tier === 1 ? nothing : escaped`<span class="tier">tier ${tier}</span>`}
<span class="time">${duration(test.duration_ms)}</span>
${headline(test)}</summary>
${testDetails(test, room)}</details></li>
`;
}

/** What can be known without opening. */
function headline(test: ReportTest): Markup {
  const text = test.status === "failed" ? oneLine((test.message ?? "failed").split("\n")[0]!) : test.note;
  return text === undefined || text === ""
    ? nothing
    : escaped`<span class="why">${shortened(oneLine(text), 220)}</span>`;
}
