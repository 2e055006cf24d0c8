/** Findings by kind, the gravest first; lint of the contract is among them. */
import { count, groupBy } from "../../../core/values.ts";
import type { Report, ReportFinding } from "../../report/report_schema.ts";
import { emptyMarkup, type Markup, markup, trustedMarkup } from "./markup.ts";
import { shortenedText } from "./shortened_text.ts";

const severities = ["error", "warning", "info"] as const;
/** Of one kind; the JSON report has all. */
const mostOfAKind = 200;

export function findingsSection({ findings }: Report): Markup {
  if (findings.length === 0) return emptyMarkup;
  const kinds = [...groupBy(findings, ({ severity, code }) => `${severity} ${code}`).values()]
    .sort((a, b) => severities.indexOf(a[0]!.severity) - severities.indexOf(b[0]!.severity));
  return markup`<section id="findings"><h2>Findings <small>${findings.length}</small></h2>
${kinds.map(kindOf)}</section>
`;
}

function kindOf(found: readonly ReportFinding[]): Markup {
  const { severity, code } = found[0]!;
  const left = found.length - mostOfAKind;
  return markup`<details class="finding ${severity}"${severity === "error" ? open : emptyMarkup}>
<summary><span class="severity">${severity}</span> <b>${code}</b> <small>${
    count(found.length, "time")
  }</small></summary>
<ul>${found.slice(0, mostOfAKind).map(item)}${
    left > 0 ? markup`<li>… ${left} more in the JSON report</li>` : emptyMarkup
  }</ul>
</details>
`;
}

const open = trustedMarkup(" open");

const item = ({ tool, message }: ReportFinding): Markup =>
  markup`<li>${tool === undefined ? emptyMarkup : markup`<span class="tool">${tool}</span> `}${
    shortenedText(message, 600)
  }</li>
`;
