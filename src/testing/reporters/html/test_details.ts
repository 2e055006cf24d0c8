/** Everything that is known of one test. */
import type { ReportStep, ReportTest } from "../../report/schema/test.ts";
import { count } from "../../../core/values.ts";
import { plainLine, showValue } from "../../../core/text.ts";
import { differenceMarkup } from "./difference_markup.ts";
import { emptyMarkup, type HtmlValue, type Markup, markup } from "./markup.ts";
import { shortenedText } from "./shortened_text.ts";

/** Of the input of a test that did not fail, in characters. */
const shortInput = 600;

/** @param room Characters that one text may have. */
export function testDetails(test: ReportTest, room: number): Markup {
  const failed = test.status === "failed";
  const { message, note, input: given, stderr } = test;
  return markup`<div class="body">
${test.description === undefined ? emptyMarkup : markup`<p>${shortenedText(test.description, room)}</p>`}
${
    failed && message !== undefined
      ? markup`<pre class="message">${shortenedText(message.trimEnd(), room)}</pre>`
      : emptyMarkup
  }
${differenceMarkup(test.expected, test.actual, room)}
${flakiness(test)}
${note === undefined ? emptyMarkup : markup`<p class="note">${shortenedText(note, room)}</p>`}
${steps(test.steps ?? [], room)}
${block("Prompt", test.prompt, room)}
${list("Checklist", test.checklist)}
${
    given === undefined
      ? emptyMarkup
      : block("Input", showValue(given), failed ? room : Math.min(room, shortInput))
  }
${isTold(stderr, message) ? emptyMarkup : block("The server's stderr", stderr?.trim(), room, "end")}
${origin(test)}</div>`;
}

/** Messages of crashes hold what the server said last. */
function isTold(stderr: string | undefined, message: string | undefined): boolean {
  const lastLine = stderr?.trim().split("\n").at(-1)?.trim();
  return lastLine === undefined || (lastLine !== "" && message?.includes(lastLine) === true);
}

function block(label: string, text: string | undefined, room: number, keep?: "end"): Markup {
  if (text === undefined || text === "") return emptyMarkup;
  return markup`<h4>${label}</h4><pre>${shortenedText(text, room, keep)}</pre>`;
}

const list = (label: string, entries: readonly string[] = []): Markup =>
  entries.length === 0
    ? emptyMarkup
    : markup`<h4>${label}</h4><ul>${entries.map((entry) => markup`<li>${entry}</li>`)}</ul>`;

function flakiness({ flakiness: found, status }: ReportTest): Markup {
  if (found === undefined) return emptyMarkup;
  const { attempts, failures, rate, runs, confidence } = found;
  const chance = status === "flaky" ? `; ${Math.floor(confidence * 100)} % sure that this is no chance` : "";
  return markup`<p class="note">Failed ${failures} of ${count(attempts, "time")} in this run; ${
    Math.round(rate * 100)
  } % of ${count(runs, "known run")}${chance}.</p>`;
}

const words: Record<ReportStep["action"], string> = {
  call: "call",
  read_resource: "read",
  subscribe: "subscribe to",
  get_prompt: "get prompt",
  wait_for: "wait for",
};
const marks = { passed: "✓", failed: "✗", not_run: "·", unknown: "?" } as const;

function steps(all: readonly ReportStep[], room: number): Markup {
  if (all.length === 0) return emptyMarkup;
  const items = all.map((step) => {
    const status = step.status ?? "unknown";
    return markup`<li class="${status}">
<span class="mark" role="img" aria-label="${status.replace("_", " ")}">${marks[status]}</span>
${words[step.action]} <b>${shortenedText(plainLine(step.target), 200)}</b>${input(step, room)}${
      captures(step)
    }</li>
`;
  });
  return markup`<h4>Steps</h4><ol class="steps">
${items}</ol>`;
}

function input({ input: given }: ReportStep, room: number): Markup {
  if (given === undefined || Object.keys(given).length === 0) return emptyMarkup;
  return markup` <code>${shortenedText(JSON.stringify(given), Math.min(room, 400))}</code>`;
}

const captures = ({ captures: names }: ReportStep): HtmlValue =>
  names === undefined ? emptyMarkup : markup` <small>→ ${names.map((name) => `$${name}`).join(", ")}</small>`;

function origin(test: ReportTest): Markup {
  const place = test.file === undefined
    ? undefined
    : `${test.file}${test.line === undefined ? "" : `:${test.line}`}`;
  const parts = [
    test.category,
    place,
    test.generated_from === "manual" ? undefined : `from ${test.generated_from.replace("_", " ")}`,
    test.origin,
    test.tags === undefined ? undefined : `tags: ${test.tags.join(", ")}`,
  ].filter((part) => part !== undefined);
  return parts.length === 0
    ? emptyMarkup
    : markup`<p class="origin">${shortenedText(parts.join(" · "), 400)}</p>`;
}
