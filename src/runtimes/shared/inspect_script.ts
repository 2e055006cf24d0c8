/** Describes the inside of an environment from the output of one shell script. */
import type { EnvironmentState } from "../../../machines/model/environment.ts";
import { assetText } from "../../platform/asset_text.ts";
import { sectionNumber, sections } from "./sections.ts";

export interface InspectOptions {
  /** False: without the versions of programs, which take longer than all else. */
  tools?: boolean;
}

/** Prints what `parseInspection` reads. */
export const inspectScript = ({ tools = true }: InspectOptions = {}): string =>
  assetText("environment/inspect.sh") + (tools ? assetText("environment/tool_versions.sh") : "");

export type InsideFacts = Pick<
  EnvironmentState,
  "hostname" | "os" | "kernel" | "cpus" | "memoryMB" | "diskFreeMB" | "tools" | "processes"
>;

export function parseInspection(text: string): InsideFacts {
  const found = sections(text);
  const first = (name: string) => found.get(name)?.[0] ?? "";
  return {
    hostname: first("hostname"),
    os: first("os"),
    kernel: first("kernel"),
    cpus: Math.max(1, sectionNumber(found, "cpus")),
    memoryMB: Math.round(sectionNumber(found, "memory") / 1024),
    diskFreeMB: Math.round(sectionNumber(found, "disk") / 1024),
    processes: sectionNumber(found, "processes"),
    ...(found.has("tools") ? { tools: versionsIn(found.get("tools")!) } : {}),
  };
}

/** A tool that answers without a version ("command not found" of a broken shim) counts as absent. */
function versionsIn(lines: string[]): Record<string, string> {
  const pairs = lines.map((line) => [line.split(" ")[0]!, line.match(/\d+(\.\d+)+[\w.+-]*/)?.[0]] as const);
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined).sort());
}

/** The facts of an environment that does not live any more. */
export const nothingInside: InsideFacts = {
  hostname: "",
  os: "",
  kernel: "",
  cpus: 0,
  memoryMB: 0,
  diskFreeMB: 0,
  processes: 0,
  tools: {},
};
