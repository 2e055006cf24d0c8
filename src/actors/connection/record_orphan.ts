/** A process that a server left behind is a fault of the plugin, whatever the server was stopped for. */
import type { SessionResources } from "../session_resources.ts";

/** A server that leaves another command line each time would fill the report. */
const mostOrphans = 20;

/** Adds a finding of the same code if the inspection failed: a state that was not inspected is not reported as good. */
export function recordUnseen({ evidence: { findings } }: SessionResources, why: string): void {
  const message = `What the server left running could not be looked for: ${why}`;
  if (findings.every((finding) => finding.message !== message)) {
    findings.push({ severity: "error", code: "orphaned-process", message });
  }
}

/** Adds the finding `orphaned-process`, once for each command line. */
export function recordOrphan({ evidence: { findings } }: SessionResources, commandLine: string): void {
  const message = `The server ended but left a process behind, which PTH ended: ${commandLine}`;
  const orphans = findings.filter(({ code }) => code === "orphaned-process");
  if (orphans.length >= mostOrphans || orphans.some((finding) => finding.message === message)) return;
  findings.push({ severity: "error", code: "orphaned-process", message });
}
