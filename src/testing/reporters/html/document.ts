/** The page of a run. */
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
import { htmlPage } from "./html_page.ts";
import { coverageSection } from "./coverage_section.ts";
import { outcomeOf, reportHeader } from "./report_header.ts";
import { emptyMarkup, type Markup, markup, reportNotes, roomFor } from "./markup.ts";
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
  return htmlPage({
    title: `${report.plugin.name}: ${outcomeOf(report).text}`,
    style: reportStyle,
    script: reportScript,
    body: markup`${reportHeader(report)}
<main>
${sections.length < 2 ? emptyMarkup : contents}
${sections.map(({ body }) => body)}</main>`,
  });
}

const notesSection = ({ notes: all }: Report): Markup =>
  all.length === 0 ? emptyMarkup : markup`<section id="notes"><h2>Notes</h2>${reportNotes(all)}</section>\n`;
