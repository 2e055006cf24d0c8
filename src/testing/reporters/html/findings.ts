/** Findings by kind, the gravest first; lint of the contract is among them. */
import { count, groupBy } from "../../../core/values.ts";
import type { Report, ReportFinding } from "../../report/report_schema.ts";
import { escaped, type Markup, nothing, trusted } from "./markup.ts";
import { shortened } from "./shortened.ts";

const severities = ["error", "warning", "info"] as const;
/** Of one kind; the JSON report has all. */
const mostOfAKind = 200;

export function findingsSection({ findings }: Report): Markup {
  if (findings.length === 0) return nothing;
  const kinds = [...groupBy(findings, ({ severity, code }) => `${severity} ${code}`).values()]
    .sort((a, b) => severities.indexOf(a[0]!.severity) - severities.indexOf(b[0]!.severity));
  return escaped`<section id="findings"><h2>Findings <small>${findings.length}</small></h2>
${kinds.map(kindOf)}</section>
`;
}

function kindOf(found: readonly ReportFinding[]): Markup {
  const { severity, code } = found[0]!;
  const left = found.length - mostOfAKind;
  return escaped`<details class="finding ${severity}"${severity === "error" ? open : nothing}>
<summary><span class="severity">${severity}</span> <b>${code}</b> <small>${
    count(found.length, "time")
  }</small></summary>
<ul>${found.slice(0, mostOfAKind).map(item)}${
    left > 0 ? escaped`<li>… ${left} more in the JSON report</li>` : nothing
  }</ul>
</details>
`;
}

const open = trusted(" open");

const item = ({ tool, message }: ReportFinding): Markup =>
  escaped`<li>${tool === undefined ? nothing : escaped`<span class="tool">${tool}</span> `}${
    shortened(message, 600)
  }</li>
`;
