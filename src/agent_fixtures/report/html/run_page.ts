/** The page of a run of fixtures: all tests with what they lacked, what changed since the last run, and the trend. */
import { count, formatDuration, oneLine } from "../../../core/text.ts";
import { filterForm, filterSelect, noMatch } from "../../../testing/reporters/html/tests_section.ts";
import { htmlPage } from "../../../testing/reporters/html/html_page.ts";
import { stackedBar } from "../../../testing/reporters/html/figure_text.ts";
import {
  emptyMarkup,
  type Markup,
  markup,
  reportNotes,
  shortenedText,
  trustedMarkup,
} from "../../../testing/reporters/html/markup.ts";
import { reportScript } from "../../../testing/reporters/html/report_script.ts";
import { reportStyle } from "../../../testing/reporters/html/report_style.ts";
import type { FixtureRunReport, RunSummary, TestReport } from "../report_schema.ts";
import { testKey } from "../run_report.ts";
import { copyableText } from "./copyable_text.ts";
import { editorLinks } from "./editor_links.ts";
import { fixturePageScript } from "./fixture_page_script.ts";
import { fixturePageStyle } from "./fixture_page_style.ts";
import { reproduceSection } from "./reproduce_section.ts";
import { type ShownStatus, statusBadge, statusClass, statusMark } from "./status_marks.ts";
import { changesSection, historyMarks, trendSection } from "./trend_section.ts";
import { boundedPage, readableTime } from "./test_page.ts";

type Fixture = FixtureRunReport["fixtures"][number];

const order = ["fail", "partial", "skipped", "pass"] as const;

/** Failures beyond these stay closed, so that the page's outline can be seen. */
const mostOpen = 10;

export function runPage(report: FixtureRunReport): string {
  const tests = report.fixtures.flatMap((fixture) => fixture.tests);
  const entries = tests.reduce((sum, test) => sum + 4 + test.expectations.length, 0);
  return boundedPage(entries, (room) => renderRun(report, room));
}

function renderRun(report: FixtureRunReport, room: number): string {
  const { summary } = report;
  return htmlPage({
    title: `${outcomeText(summary)}: ${report.fixtures.map(({ name }) => name).join(", ")}`,
    style: reportStyle + fixturePageStyle,
    script: reportScript + fixturePageScript,
    body: markup`${runHeader(report)}
<main>
${report.errors.map((error) => markup`<div class="ended"><p>${shortenedText(error, 4000)}</p></div>`)}
${changesSection(report)}
<section id="tests"><h2>Tests</h2>
${
      filterForm(
        order.map((status) => ({ status, amount: summary[status], class: statusClass(status) }))
          .filter(({ amount }) => amount > 0),
        [filterSelect("tool", "Fixture", report.fixtures.map(({ name }) => [name, shortenedText(name, 60)]))],
      )
    }
${report.fixtures.map((fixture, index) => fixtureTests(report, fixture, index, room))}
${noMatch}
</section>
${trendSection(report)}
${
      report.notes.length === 0
        ? emptyMarkup
        : markup`<section id="notes"><h2>Notes</h2>${reportNotes(report.notes)}</section>`
    }
</main>`,
  });
}

function outcomeText({ pass, partial, fail, total, skipped }: RunSummary): string {
  const failed = partial + fail;
  if (failed + pass === 0) return "No test ran";
  if (failed > 0) return `${failed} of ${count(total, "test")} did not pass`;
  return `${count(pass, "test")} passed${skipped === 0 ? "" : `, ${skipped} skipped`}`;
}

function runHeader(
  { summary, status, started_at: started, duration_ms: took, fixtures }: FixtureRunReport,
): Markup {
  const parts = order.map((each) => ({ tone: statusClass(each), amount: summary[each], status: each }));
  const shown = parts.filter(({ amount, status: each }) => amount > 0 || each === "fail");
  return markup`<header class="top ${statusClass(status)}">
<p class="plugin">${fixtures.map(({ name }) => name).join(", ")}</p>
<h1>${statusMark(status)} ${outcomeText(summary)} ${statusBadge(status, summary.pass_rate)}</h1>
${stackedBar(parts, parts.map(({ status: each, amount }) => `${amount} ${each}`).join(", "))}
<ul class="counts">
${
    shown.map(({ tone, amount, status: each }) => markup`<li class="${tone}"><b>${amount}</b> ${each}</li>\n`)
  }</ul>
<dl class="facts">
<div><dt>Started</dt><dd><time datetime="${started}">${readableTime(started)}</time></dd></div>
<div><dt>Took</dt><dd>${formatDuration(took)}</dd></div>
<div><dt>Expectations met</dt><dd>${summary.pass_rate}</dd></div>
<div><dt>Fixtures</dt><dd>${fixtures.length}</dd></div></dl>
</header>
`;
}

function fixtureTests(report: FixtureRunReport, fixture: Fixture, index: number, room: number): Markup {
  const { name, description, plugin, summary, tests, skipped } = fixture;
  const sorted = order.flatMap((status) => tests.filter(({ meta }) => meta.status === status));
  return markup`<h3 class="fixture" id="fixture-${index + 1}">${name}
<small>${summary.pass} of ${
    count(summary.total, "test")
  } passed, ${summary.pass_rate} expectations met</small></h3>
${description === "" ? emptyMarkup : markup`<p class="note">${description}</p>`}
<p class="note">${editorLinks(plugin)}</p>
<ol class="tests">
${sorted.map((test, at) => runItem(report, fixture, test, `test-${index + 1}-${at + 1}`, at, room))}
${
    skipped.map(({ test_name: title, test_id: id, reason }) =>
      markup`<li class="test skipped" data-status="skipped" data-tools="${
        JSON.stringify([name])
      }"><details><summary>
${statusMark("skipped")}<span class="name">${title}</span>${historyMarks(report, testKey(name, id))}
<span class="why">${oneLine(reason, 220)}</span></summary><div class="body"><p>${
        shortenedText(reason, room)
      }</p></div>
</details></li>
`
    )
  }</ol>
`;
}

function runItem(
  report: FixtureRunReport,
  { name }: Fixture,
  test: TestReport,
  id: string,
  at: number,
  room: number,
): Markup {
  const { meta, expectations } = test;
  const failed = meta.status !== "pass";
  const why = expectations.find(({ status }) => status === "fail")?.failure_reason;
  return markup`<li class="test ${statusClass(meta.status)}" id="${id}" data-status="${meta.status}"
 data-tools="${JSON.stringify([name])}">
<details${failed && at < mostOpen ? trustedMarkup(" open") : emptyMarkup}><summary>
${statusMark(meta.status)}
<span class="name">${shortenedText(oneLine(meta.test_name, 300), 300)} <small>${meta.pass_rate}</small></span>
${historyMarks(report, testKey(name, meta.test_id))}
<span class="time">${formatDuration(meta.duration_ms)}</span>
${why === undefined ? emptyMarkup : markup`<span class="why">${oneLine(why, 220)}</span>`}</summary>
${itemBody(test, room)}</details></li>
`;
}

function itemBody(test: TestReport, room: number): Markup {
  const { meta, expectations, claude_response: response, agent_assessment: assessment, timeline } = test;
  return markup`<div class="body">
${meta.description === "" ? emptyMarkup : markup`<p>${shortenedText(meta.description, room)}</p>`}
<h4>Expectations</h4>${
    expectations.length === 0
      ? markup`<p class="note">none</p>`
      : markup`<ol class="steps">${
        expectations.map(({ id, description, status, failure_reason: reason }) =>
          markup`<li class="${statusClass(status)}">${statusMark(status)} ${
            description === "" ? id : shortenedText(description, 300)
          }${
            reason === undefined
              ? emptyMarkup
              : markup`<pre class="message">${shortenedText(reason, room)}</pre>`
          }</li>`
        )
      }</ol>`
  }
${
    copyableText({
      label: "Response",
      text: response.full_text,
      language: "markdown",
      source: { report: meta.test_id, part: "claude_response" },
      room,
    })
  }
${
    assessment === undefined ? emptyMarkup : copyableText({
      label: "Agent Assessment",
      text: assessment,
      language: "markdown",
      source: { report: meta.test_id, part: "agent_assessment" },
      room: 4000,
    })
  }
<details class="fold"><summary>Timeline (${timeline.length})</summary><ol class="steps">${
    shortTimeline(test)
  }</ol></details>
<details class="fold"><summary>Reproduce</summary>${
    reproduceSection(test, Math.min(2000, room * 4))
  }</details>
<p class="origin">${meta.test_id} · ${editorLinks(meta.file, meta.line)}${
    meta.tags.length === 0 ? "" : ` · tags: ${meta.tags.join(", ")}`
  }</p></div>`;
}

/** Entries of one test that the page of a run names. */
const mostEntries = 60;

function shortTimeline({ meta, timeline }: TestReport): Markup {
  const start = Date.parse(meta.timestamp);
  const items = timeline.slice(0, mostEntries).map((entry) => {
    const status: ShownStatus = entry.type === "tool_call" && entry.is_error === true ? "fail" : "pass";
    const text = entry.type === "tool_call"
      ? `${oneLine(entry.tool, 80)}: ${oneLine(entry.intent, 140)}`
      : oneLine(entry.intent, 140);
    return markup`<li class="${status === "fail" ? "failed" : ""}">+${
      formatDuration(Math.max(0, Date.parse(entry.timestamp) - start))
    } ${text}</li>`;
  });
  const left = timeline.length - mostEntries;
  return markup`${items}${left > 0 ? markup`<li>… ${left} more, on the test's own page</li>` : emptyMarkup}`;
}
