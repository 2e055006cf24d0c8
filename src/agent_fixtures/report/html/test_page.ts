/** The page of one agent test: four tabs, made from its report alone. Without JavaScript all of them are shown. */
import { Buffer } from "node:buffer";
import { count, formatDuration } from "../../../core/text.ts";
import { htmlPage } from "../../../testing/reporters/html/html_page.ts";
import {
  emptyMarkup,
  type HtmlValue,
  type Markup,
  markup,
  reportNotes,
  shortenedText,
  trustedMarkup,
} from "../../../testing/reporters/html/markup.ts";
import { reportStyle } from "../../../testing/reporters/html/report_style.ts";
import type { TestReport } from "../report_schema.ts";
import { copyableJson, copyableText } from "./copyable_text.ts";
import { editorLinks, optionalEditorLinks } from "./editor_links.ts";
import { expectationList } from "./expectation_list.ts";
import { fixturePageScript } from "./fixture_page_script.ts";
import { fixturePageStyle } from "./fixture_page_style.ts";
import { reproduceSection } from "./reproduce_section.ts";
import { statusBadge, statusClass, statusMark } from "./status_marks.ts";
import { timelineList } from "./timeline_list.ts";

/** Bytes of a page. */
const longestPage = 1_900_000;
/** Characters of the texts of all entries together, without their markup; the least that is tried. */
const wholePage = 500_000;
const leastOfPage = 30_000;

/**
 * Renders a page with as much of its texts as it may hold: escaped and highlighted, a text is several times as long.
 * @param entries Entries of the page, each of which has some texts
 * @param render Page with texts of at most `room` characters
 */
export function boundedPage(entries: number, render: (room: number) => string): string {
  let whole = wholePage;
  for (;;) {
    const page = render(Math.max(40, Math.min(8000, Math.floor(whole / Math.max(1, entries) / 3))));
    const bytes = Buffer.byteLength(page);
    if (bytes < longestPage || whole < leastOfPage) return page;
    // Room that the texts do not fill saves nothing: at least half of it goes.
    whole *= Math.min(0.5, 0.9 * longestPage / bytes);
  }
}

/** Prefix of the ids of the timeline's entries. */
const entryId = "entry-";

export const testPage = (report: TestReport): string =>
  boundedPage(report.timeline.length + report.expectations.length, (room) => renderTest(report, room));

function renderTest(report: TestReport, room: number): string {
  const { meta } = report;
  const tabs = [
    { id: "summary", label: "Summary", body: summaryTab(report, room) },
    {
      id: "expectations",
      label: `Expectations ${meta.pass_rate}`,
      body: markup`${openButtons}${expectationList(report, room, entryId)}`,
    },
    {
      id: "timeline",
      label: `Timeline ${report.timeline.length}`,
      body: markup`${openButtons}${timelineList(report, room, entryId)}`,
    },
    { id: "debug", label: "Debug", body: debugTab(report, room) },
  ];
  return htmlPage({
    title: `${meta.test_name}: ${meta.status} ${meta.pass_rate}`,
    style: reportStyle + fixturePageStyle,
    script: fixturePageScript,
    body: markup`${testHeader(report)}
<main>
<nav class="tabs" aria-label="Parts of the report">${
      tabs.map(({ id, label }) => markup`<a href="#${id}" id="tab-${id}">${label}</a>\n`)
    }</nav>
${
      tabs.map(({ id, label, body }) =>
        markup`<section id="${id}" class="panel" aria-labelledby="tab-${id}"><h2>${label}</h2>
${body}</section>
`
      )
    }<p class="keys"><kbd>1</kbd>–<kbd>4</kbd> tabs, <kbd>j</kbd> <kbd>k</kbd> next and previous entry,
<kbd>Enter</kbd> opens it</p></main>`,
  });
}

/** Shown by the script, without which they would do nothing. */
const openButtons = trustedMarkup(
  `<p class="actions" hidden><button type="button" class="open-all">Open all</button>
<button type="button" class="close-all">Close all</button></p>
`,
);

function testHeader({ meta }: TestReport): Markup {
  const { fixture, test_id: id, test_name: name, description, status, tags } = meta;
  return markup`<header class="top ${statusClass(status)}">
<p class="plugin">${fixture} <small>${id}</small></p>
<h1>${statusMark(status)} ${name} ${statusBadge(status, meta.pass_rate)}</h1>
${description === "" ? emptyMarkup : markup`<p>${description}</p>`}
${
    tags.length === 0
      ? emptyMarkup
      : markup`<p class="tags">${tags.map((tag) => markup`<span class="tool">${tag}</span> `)}</p>`
  }
</header>
`;
}

function summaryTab(report: TestReport, room: number): Markup {
  const { meta, execution, claude_response: response, agent_assessment: assessment } = report;
  const source = (part: string) => ({ report: meta.test_id, part });
  return markup`${failedList(report)}${
    assessment === undefined ? emptyMarkup : assessmentSection(assessment, meta.test_id)
  }
${factList(report)}
${
    copyableText({
      label: "Prompt",
      text: execution.prompt,
      language: "markdown",
      source: source("execution.prompt"),
      room,
    })
  }
${
    copyableText({
      label: `Response, ${count(response.word_count, "word")}`,
      text: response.full_text,
      language: "markdown",
      source: source("claude_response.full_text"),
      room: 20_000,
    })
  }
${sideEffects(report)}
<h3>Reproduce</h3>${reproduceSection(report, 8000)}`;
}

const assessmentSection = (text: string, test: string): Markup =>
  markup`<section class="assessment" id="assessment"><h3>Agent Assessment</h3>
${
    copyableText({
      label: "Assessment",
      text,
      language: "markdown",
      source: { report: test, part: "agent_assessment" },
      room: 20_000,
    })
  }</section>
`;

/** Reasons of a failure, at the top. */
function failedList({ expectations }: TestReport): Markup {
  const failed = expectations.filter(({ status }) => status === "fail");
  if (failed.length === 0) return emptyMarkup;
  const items = failed.map(({ description, id, failure_reason: reason = "" }) =>
    markup`<li><b>${description === "" ? id : description}</b>: ${shortenedText(reason, 400)}</li>`
  );
  return markup`<div class="ended"><ul>${items}</ul></div>
`;
}

function factList({ meta, execution }: TestReport): Markup {
  const { token_usage: tokens, tools_allowed: tools } = execution;
  const all: [string, HtmlValue][] = [
    ["Started", markup`<time datetime="${meta.timestamp}">${readableTime(meta.timestamp)}</time>`],
    ["Took", `${formatDuration(meta.duration_ms)}, of at most ${formatDuration(execution.timeout_ms)}`],
    ["Stopped", meta.stopped],
    ["Agent", `${execution.agent} ${meta.agent_version ?? ""}`],
    ["Model", modelText(execution)],
    ["Tools", tools.length === 0 ? "all" : tools.join(", ")],
    ["Tokens", `${tokens.total.toLocaleString("en-US")} (${tokens.input} in, ${tokens.output} out)`],
    ["Session", execution.session_id],
    ["Attempts", meta.attempts],
    ["Test", editorLinks(meta.file, meta.line)],
    ["Plugin", editorLinks(meta.plugin)],
  ];
  return markup`<dl class="facts">
${
    all.map(([label, value]) =>
      value === undefined || value === "" ? emptyMarkup : markup`<div><dt>${label}</dt><dd>${value}</dd></div>
`
    )
  }</dl>
`;
}

const modelText = ({ playbook, model }: TestReport["execution"]): string =>
  playbook ? `a playbook${model === "" ? "" : ` for ${model}`}` : model === "" ? "the agent's own" : model;

export const readableTime = (time: string): string => time.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC");

function sideEffects({ side_effects: effects }: TestReport): Markup {
  const lists = ([["Created", effects.files_created], ["Modified", effects.files_modified], [
    "Deleted",
    effects.files_deleted,
  ]] as const).filter(([, files]) => files.length > 0);
  const rows = lists.map(([label, files]) =>
    markup`<dt>${label}</dt><dd>${files.slice(0, mostFiles).map((file) => markup`<code>${file}</code><br>`)}${
      files.length > mostFiles ? `… ${files.length - mostFiles} more` : ""
    }</dd>`
  );
  const git = effects.git_changes ? "The repository's commits, branches, tags or stashes changed." : "";
  const none = rows.length === 0 && git === "" ? "No file of the project changed." : "";
  return markup`<h3>Side effects</h3><dl class="missed">${rows}</dl>${
    git + none === "" ? emptyMarkup : markup`<p class="note">${git}${none}</p>`
  }
`;
}

const mostFiles = 100;

function debugTab({ meta, debug }: TestReport, room: number): Markup {
  if (debug === undefined) return markup`<p class="note">Nothing was kept for debugging.</p>`;
  const source = (part: string) => ({ report: meta.test_id, part: `debug.${part}` });
  const { pytest_output: told, raw_trace_file: file, warnings = [], exit_code: code, stderr = "", trace } =
    debug;
  return markup`${
    code === undefined
      ? emptyMarkup
      : markup`<p class="note">The agent ${
        code === null ? "was killed" : `ended with exit code ${code}`
      }.</p>`
  }
${reportNotes(warnings)}
<details open class="fold"><summary>Output of the runner (${debug.pytest_status})</summary>
${
    copyableText({
      label: "Output",
      text: told,
      language: "text",
      source: source("pytest_output"),
      room: Math.max(room, 20_000),
    })
  }</details>
${
    stderr === "" ? emptyMarkup : markup`<details class="fold"><summary>The agent's stderr</summary>
${
      copyableText({
        label: "stderr",
        text: stderr,
        language: "text",
        source: source("stderr"),
        room: 20_000,
      })
    }</details>`
  }
<details class="fold"><summary>Trace</summary>
${optionalEditorLinks(file)}
${
    trace === undefined
      ? markup`<p class="note">The trace is not in the report.</p>`
      : copyableJson(trace, { label: "Trace", source: source("trace"), room: longestTrace })
  }</details>`;
}

/** Characters of a trace that a page shows. */
const longestTrace = 200_000;
