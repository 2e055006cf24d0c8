/** The whole page: one file that asks nothing of the network and runs no script but its own. */
import { createHash } from "node:crypto";
import type { Report } from "../../report/report_schema.ts";
import {
  contractSection,
  exerciseSection,
  findingsSection,
  impactSection,
  matrixSection,
  performanceSection,
  slowestSection,
  tokenCostSection,
} from "./report_sections.ts";
import { coverageSection } from "./coverage_section.ts";
import { outcomeOf, reportHeader } from "./report_header.ts";
import { emptyMarkup, type Markup, markup, reportNotes, roomFor, trustedMarkup } from "./markup.ts";
import { reportScript } from "./report_script.ts";
import { reportStyle } from "./report_style.ts";
import { testsSection } from "./tests_section.ts";

/** HTML of a report. */
export function htmlDocument(report: Report): string {
  const sections = [
    { id: "matrix", label: "Matrix", body: matrixSection(report) },
    { id: "tests", label: "Tests", body: testsSection(report, roomFor(report.tests.length)) },
    { id: "exercise", label: "Tools", body: exerciseSection(report) },
    { id: "findings", label: "Findings", body: findingsSection(report) },
    { id: "contract", label: "Contract", body: contractSection(report) },
    { id: "coverage", label: "Coverage", body: coverageSection(report) },
    { id: "impact", label: "Impact", body: impactSection(report) },
    { id: "performance", label: "Performance", body: performanceSection(report) },
    { id: "tokens", label: "Token cost", body: tokenCostSection(report) },
    { id: "slowest", label: "Slowest tests", body: slowestSection(report) },
    { id: "notes", label: "Notes", body: notesSection(report) },
  ].filter(({ body }) => body !== emptyMarkup);
  const links = sections.map(({ id, label }) => markup`<li><a href="#${id}">${label}</a></li>`);
  const contents = markup`<nav aria-label="Sections"><ul>${links}</ul></nav>`;
  return markup`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="pth">
<link rel="icon" href="data:,">
<title>${report.plugin.name}: ${outcomeOf(report).text}</title>
<style>${trustedMarkup(reportStyle)}</style>
</head>
<body>
${reportHeader(report)}
<main>
${sections.length < 2 ? emptyMarkup : contents}
${sections.map(({ body }) => body)}</main>
<footer>Written by the Plugin Test Harness.</footer>
<script>${trustedMarkup(reportScript)}</script>
</body>
</html>
`.text;
}

const notesSection = ({ notes: all }: Report): Markup =>
  all.length === 0 ? emptyMarkup : markup`<section id="notes"><h2>Notes</h2>${reportNotes(all)}</section>\n`;

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Content security policy: only the page's own script and style run, should a text ever break out. */
const policy = [
  "default-src 'none'",
  `style-src ${hashOf(reportStyle)}`,
  `script-src ${hashOf(reportScript)}`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
