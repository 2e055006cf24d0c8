import { type RunOutcome, writtenOutcome } from "../../report/run_outcome.ts";
import type { Report } from "../../report/report_schema.ts";
import { count, formatDuration } from "../../../core/text.ts";
import { stackedBar } from "./figure_text.ts";
import { emptyMarkup, type HtmlValue, type Markup, markup, shortenedText } from "./markup.ts";

/** The headline, and the page's title. */
export const outcomeOf = ({ summary, error, exercise, exit_code: exitCode }: Report): RunOutcome =>
  writtenOutcome({ summary, error, exercise, exitCode });

export function reportHeader(report: Report): Markup {
  const { plugin, summary, error } = report;
  const counts = (["failed", "flaky", "skipped", "passed"] as const).map((status) => ({
    status,
    amount: summary[status],
  }));
  const spoken = counts.map(({ status, amount }) => `${amount} ${status}`).join(", ");
  const { state, text } = outcomeOf(report);
  const shown = counts.filter(({ amount, status }) => amount > 0 || status === "failed");
  return markup`<header class="top ${state}">
<p class="plugin">${plugin.name} <small>${plugin.version}</small></p>
<h1>${text}</h1>
${error === undefined ? emptyMarkup : failure(error)}
${stackedBar(counts.map(({ status, amount }) => ({ tone: status, amount })), spoken)}
<ul class="counts">
${shown.map(({ status, amount }) => markup`<li class="${status}"><b>${amount}</b> ${status}</li>\n`)}</ul>
${facts(report)}
</header>
`;
}

const failure = ({ code, message, output = "" }: NonNullable<Report["error"]>): Markup =>
  markup`<div class="ended"><p><b>${code}</b> ${message}</p>
${output.trim() === "" ? emptyMarkup : markup`<pre>${shortenedText(output.trim(), 8000, "end")}</pre>`}
</div>`;

function facts(report: Report): Markup {
  const { plugin, server, environment: place, started_at: started, shard } = report;
  const times = Object.entries(report.timings).map(([name, value = 0]) =>
    `${name.replace(/_ms$/, "")} ${formatDuration(value)}`
  );
  const where = place && markup`${place.runtime} · tier ${place.tier} · ${place.image}
<small>${place.reason}</small>${
    place.network === undefined ? emptyMarkup : markup`
<small>network: ${place.network}</small>`
  }`;
  const who = server &&
    `${server.name} ${server.version}, MCP ${server.protocol_version}, ${count(server.tools, "tool")}`;
  const all: [string, HtmlValue][] = [
    ["Source", plugin.source],
    ["Server", who],
    ["Environment", where],
    ["Started", started && markup`<time datetime="${started}">${readable(started)}</time>`],
    ["Took", report.duration_ms === undefined ? undefined : formatDuration(report.duration_ms)],
    ["Of that", times.join(", ")],
    ["Seed", report.seed],
    ["Part", shard && `${shard.index} of ${shard.of}`],
    ["Strict", report.strict ? "what a schema forbids must be refused" : undefined],
  ];
  return markup`<dl class="facts">
${all.map(([label, value]) => fact(label, value))}</dl>`;
}

const readable = (time: string): string => time.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC");

const fact = (label: string, value: HtmlValue): Markup =>
  value === undefined || value === "" ? emptyMarkup : markup`<div><dt>${label}</dt><dd>${value}</dd></div>
`;
