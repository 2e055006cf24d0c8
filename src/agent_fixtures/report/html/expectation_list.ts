/** Expectations, each a `details` element with what was expected and what was found; those that were not met are open. */
import { oneLine } from "../../../core/text.ts";
import {
  emptyMarkup,
  type Markup,
  markup,
  shortenedText,
  trustedMarkup,
} from "../../../testing/reporters/html/markup.ts";
import type { TestReport } from "../report_schema.ts";
import { copyableJson } from "./copyable_text.ts";
import { editorLinks } from "./editor_links.ts";
import { statusClass, statusMark } from "./status_marks.ts";

type Expectation = TestReport["expectations"][number];

/** @param entries Prefix of the ids of the timeline's entries; absent: they are not on the page */
export function expectationList({ meta, expectations }: TestReport, room: number, entries?: string): Markup {
  if (expectations.length === 0) {
    return markup`<p class="note">The test expects nothing, and so has passed.</p>`;
  }
  const failed = expectations.filter(({ status }) => status === "fail");
  const met = expectations.filter(({ status }) => status === "pass");
  return markup`<ol class="tests expectations">
${[...failed, ...met].map((each) => expectation(each, meta, room, entries))}</ol>`;
}

function expectation(
  each: Expectation,
  { test_id: test, file }: TestReport["meta"],
  room: number,
  entries: string | undefined,
): Markup {
  const { id, description, type, status, expected, actual, failure_reason: reason, line } = each;
  const place = line === undefined ? emptyMarkup : markup` · ${editorLinks(file, line)}`;
  const source = (part: string) => ({ report: test, part: `expectation ${id}, ${part}` });
  return markup`<li class="test ${statusClass(status)}">
<details${status === "fail" ? trustedMarkup(" open") : emptyMarkup}><summary>
${statusMark(status)}
<span class="name">${shortenedText(description === "" ? id : description, 400)}</span>
<span class="tool">${type}</span>
${reason === undefined ? emptyMarkup : markup`<span class="why">${oneLine(reason, 220)}</span>`}</summary>
<div class="body">
${reason === undefined ? emptyMarkup : markup`<pre class="message">${shortenedText(reason, room)}</pre>`}
<div class="sides">
${copyableJson(expected, { label: "Expected", source: source("expected"), room })}
${copyableJson(actual, { label: "Actual", source: source("actual"), room })}</div>
${matchedAt(each, entries)}<p class="origin">${id}${place}</p></div></details></li>
`;
}

function matchedAt({ matched_at: at }: Expectation, entries: string | undefined): Markup {
  if (at === undefined) return emptyMarkup;
  const text = `entry ${at.sequence} of the timeline`;
  const place = entries === undefined
    ? markup`${text}`
    : markup`<a href="#${entries}${at.sequence}">${text}</a>`;
  return markup`<p class="note">Matched at ${place}</p>`;
}
