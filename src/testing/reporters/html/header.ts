/** The top of the page: what was tested, where, and how it ended. */
import { count } from "../../../core/values.ts";
import { type RunOutcome, writtenOutcome } from "../../report/run_outcome.ts";
import type { Report } from "../../report/report_schema.ts";
import { duration } from "../text.ts";
import { stackedBar } from "./figures.ts";
import { escaped, type Markup, nothing, type Piece } from "./markup.ts";
import { shortened } from "./shortened.ts";

/** The headline, and the page's title. */
export const outcomeOf = ({ summary, error, exit_code: exitCode }: Report): RunOutcome =>
  writtenOutcome({ summary, error, exitCode });

export function header(report: Report): Markup {
  const { plugin, summary, error } = report;
  const counts = (["failed", "flaky", "skipped", "passed"] as const).map((status) => ({
    status,
    amount: summary[status],
  }));
  const spoken = counts.map(({ status, amount }) => `${amount} ${status}`).join(", ");
  const { state, text } = outcomeOf(report);
  const shown = counts.filter(({ amount, status }) => amount > 0 || status === "failed");
  return escaped`<header class="top ${state}">
<p class="plugin">${plugin.name} <small>${plugin.version}</small></p>
<h1>${text}</h1>
${error === undefined ? nothing : failure(error)}
${stackedBar(counts.map(({ status, amount }) => ({ tone: status, amount })), spoken)}
<ul class="counts">
${shown.map(({ status, amount }) => escaped`<li class="${status}"><b>${amount}</b> ${status}</li>\n`)}</ul>
${facts(report)}
</header>
`;
}

const failure = ({ code, message, output = "" }: NonNullable<Report["error"]>): Markup =>
  escaped`<div class="ended"><p><b>${code}</b> ${message}</p>
${output.trim() === "" ? nothing : escaped`<pre>${shortened(output.trim(), 8000, "end")}</pre>`}
</div>`;

function facts(report: Report): Markup {
  const { plugin, server, environment: place, started_at: started, shard } = report;
  const times = Object.entries(report.timings).map(([name, value = 0]) =>
    `${name.replace(/_ms$/, "")} ${duration(value)}`
  );
  const where = place && escaped`${place.runtime} · tier ${place.tier} · ${place.image}
<small>${place.reason}</small>${
    place.network === undefined ? nothing : escaped`
<small>network: ${place.network}</small>`
  }`;
  const who = server &&
    `${server.name} ${server.version}, MCP ${server.protocol_version}, ${count(server.tools, "tool")}`;
  const all: [string, Piece][] = [
    ["Source", plugin.source],
    ["Server", who],
    ["Environment", where],
    ["Started", started && escaped`<time datetime="${started}">${readable(started)}</time>`],
    ["Took", report.duration_ms === undefined ? undefined : duration(report.duration_ms)],
    ["Of that", times.join(", ")],
    ["Seed", report.seed],
    ["Part", shard && `${shard.index} of ${shard.of}`],
    ["Strict", report.strict ? "what a schema forbids must be refused" : undefined],
  ];
  return escaped`<dl class="facts">
${all.map(([label, value]) => fact(label, value))}</dl>`;
}

const readable = (time: string): string => time.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC");

const fact = (label: string, value: Piece): Markup =>
  value === undefined || value === "" ? nothing : escaped`<div><dt>${label}</dt><dd>${value}</dd></div>
`;
