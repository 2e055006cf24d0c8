/** Writes what the page shows as files: the machines' charts, and a recording's sequence. */
import { basename, join } from "node:path";
import { PthError } from "../../errors.ts";
import { mkdir, writeFile, writeTextAtomically } from "../../platform/files.ts";
import { didYouMean } from "../../testing/did_you_mean.ts";
import { count } from "../../values.ts";
import type { Charts } from "../../visualizer/server/api_request.ts";
import { machineCharts } from "../../visualizer/server/machine_charts.ts";
import { openTimeline } from "../../visualizer/timeline/open_timeline.ts";
import { sequenceMermaid } from "../../visualizer/timeline/sequence_mermaid.ts";
import type { CommandContext } from "../command.ts";
import type { ExportFormat, ExportRequest } from "./viz_request.ts";

/** Events in a sequence; more than anybody reads, and than Mermaid draws. */
const longestSequence = 500;

/** Tells each file on stdout. @throws {PthError} for a machine that there is not, or a recording that cannot be read */
export async function exportFiles(
  request: ExportRequest,
  { stdout, stderr }: CommandContext,
): Promise<number> {
  const { recording, folder, formats } = request;
  const charts = machineCharts();
  const machines = chosen(request.machines, (await charts.list()).map(({ machine }) => machine));
  // Read first: a recording that cannot be read leaves no half of an export.
  const sequence = recording === undefined ? undefined : await sequenceOf(recording);
  const written = sequence === undefined ? [] : [sequence];
  for (const machine of machines) {
    for (const format of formats) written.push(await contentOf[format](charts, machine));
  }
  await mkdir(folder, { recursive: true });
  for (const { name, content } of written) {
    const path = join(folder, name);
    if (typeof content === "string") await writeTextAtomically(path, content);
    else await writeFile(path, content);
    stdout.write(`${path}\n`);
  }
  stderr.write(`${count(written.length, "file")} written\n`);
  return 0;
}

interface Written {
  name: string;
  content: string | Uint8Array;
}

const contentOf: Record<ExportFormat, (charts: Charts, machine: string) => Promise<Written>> = {
  svg: async (charts, machine) => ({ name: `${machine}.svg`, content: await pictureOf(charts, machine) }),
};

const pictureOf = (charts: Charts, machine: string): Promise<string> =>
  charts.svg(machine, { collapsed: [], standalone: true });

async function sequenceOf(recording: string): Promise<Written> {
  const timeline = await openTimeline(recording);
  try {
    const rows = await timeline.rows({}, 0, longestSequence);
    return {
      name: `${basename(recording).replace(/\.jsonl$/, "")}.sequence.mmd`,
      content: sequenceMermaid(rows),
    };
  } finally {
    await timeline.close();
  }
}

/** @throws {PthError} `INVALID_INPUT` with the nearest one that there is */
function chosen(named: readonly string[], known: readonly string[]): readonly string[] {
  for (const machine of named) {
    if (known.includes(machine)) continue;
    const near = didYouMean(machine, known);
    throw new PthError("INVALID_INPUT", `Cannot export: there is no machine "${machine}"`, {
      next: [near === undefined ? `The machines are ${known.join(", ")}` : `Did you mean ${near}?`],
    });
  }
  return named.length === 0 ? known : named;
}
