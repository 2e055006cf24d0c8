/** Findings about incidents of a connection: each names the tool, or the moment at which it came. */
import type { Incident, Moment } from "../../client/incidents.ts";
import type { Finding } from "../../../machines/model/verdict.ts";
import type { StartLines } from "./start_lines.ts";
import { oneLine, textExcerpt } from "../../core/text.ts";

interface Kind {
  severity: Finding["severity"];
  /** Predicate of the sentence: "requested x of a client". */
  words(detail: string): string;
}

const kinds: Record<Incident["code"], Kind> = {
  "stdout-noise": {
    severity: "warning",
    words: (line) =>
      `wrote on stdout what no client can read: ${textExcerpt(line, 200)}; logs belong on stderr`,
  },
  "undeclared-request": {
    severity: "warning",
    words: (method) => `requested ${oneLine(method, 80)} of a client that did not declare this`,
  },
  "progress-misused": { severity: "warning", words: (problem) => `broke a rule of progress: ${problem}` },
  "answered-twice": {
    severity: "error",
    words: (problem) =>
      `answered one request twice: ${problem}; a client takes it for another request's, or fails`,
  },
};

export const incidentCodes: readonly string[] = Object.keys(kinds);

/** One finding for each incident. */
export const findingsOfIncidents = (incidents: readonly Incident[]): Finding[] =>
  incidents.map(({ code, moment, detail }) => ({
    severity: kinds[code].severity,
    code,
    ...("tool" in moment ? { tool: moment.tool } : {}),
    message: `${subjectAt(moment)} ${kinds[code].words(detail)}`,
  }));

function subjectAt(moment: Moment): string {
  switch (moment.phase) {
    case "start":
      return "the server, before any tool was called,";
    case "call":
      return `${moment.tool}, while it was called,`;
    case "calls":
      return "the server, while several tools were called,";
    case "after":
      return `${moment.tool}, after its answer,`;
    case "shutdown":
      return "the server, after its input had ended,";
  }
}

/** Incidents that no late line of a start is among. @param all incidents of the connection, from its start on */
export function withoutLateStart(
  incidents: readonly Incident[],
  all: readonly Incident[],
  startLines: StartLines,
): Incident[] {
  const first = all.filter(({ code, firstCall }) => code === "stdout-noise" && firstCall);
  const areLate = startLines.areLate(
    first.map(({ detail }) => detail),
    incidentsAtStart(all, "stdout-noise"),
  );
  const late = new Set(first.filter((_, index) => areLate[index]));
  return incidents.filter((incident) => !late.has(incident));
}

/** Details of incidents of this code that came before any tool was called. */
export const incidentsAtStart = (incidents: readonly Incident[], code: Incident["code"]): string[] =>
  incidents.filter((incident) => incident.code === code && incident.moment.phase === "start")
    .map(({ detail }) => detail);
