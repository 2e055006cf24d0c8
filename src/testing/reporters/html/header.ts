/** The top of the page: what was tested, where, and how it ended. */
import { count } from "../../../values.ts";
import type { Report } from "../../report_schema.ts";
import { duration } from "../text.ts";
import { stackedBar } from "./figures.ts";
import { escaped, type Markup, nothing, type Piece } from "./markup.ts";
import { shortened } from "./shortened.ts";

export type Outcome = "passed" | "failed" | "broken" | "empty";

export function outcomeOf({ summary, error, exit_code: exitCode }: Report): Outcome {
  if (error !== undefined || exitCode > 1) return "broken";
  if (summary.failed > 0) return "failed";
  return summary.total === 0 ? "empty" : "passed";
}

/** One sentence, also the page's title. */
export function verdict(report: Report): string {
  const { total, passed, failed, flaky, skipped } = report.summary;
  switch (outcomeOf(report)) {
    case "broken":
      return report.error === undefined
        ? "The run did not end by itself"
        : "The run ended before its tests did";
    case "failed":
      return `${failed} of ${count(total, "test")} failed`;
    case "empty":
      return "No test ran";
    default:
      if (passed + flaky === 0) return `Nothing failed, nothing passed: ${count(skipped, "test")} skipped`;
      return skipped === 0 && flaky === 0 ? `All ${count(total, "test")} passed` : "No test failed";
  }
}

export function header(report: Report): Markup {
  const { plugin, summary, error } = report;
  const counts = (["failed", "flaky", "skipped", "passed"] as const).map((status) => ({
    status,
    amount: summary[status],
  }));
  const spoken = counts.map(({ status, amount }) => `${amount} ${status}`).join(", ");
  const shown = counts.filter(({ amount, status }) => amount > 0 || status === "failed");
  return escaped`<header class="top ${outcomeOf(report)}">
<p class="plugin">${plugin.name} <small>${plugin.version}</small></p>
<h1>${verdict(report)}</h1>
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
