/** Writes what the page shows as files: the machines' charts, and a recording's sequence. */
import { basename, join } from "node:path";
import { PthError } from "../../core/errors.ts";
import { mkdir, writeFile, writeTextAtomically } from "../../platform/files.ts";
import { didYouMean } from "../../core/did_you_mean.ts";
import { machineChart, machineIds, machineLayout } from "../../visualizer/chart/machine_chart.ts";
import { toDot } from "../../visualizer/chart/to_dot.ts";
import { toMermaid } from "../../visualizer/chart/to_mermaid.ts";
import { toPng } from "../../visualizer/chart/to_png.ts";
import { drawSvg } from "../../visualizer/chart/draw_svg.ts";
import { openTimeline } from "../../visualizer/timeline/open_timeline.ts";
import { sequenceMermaid } from "../../visualizer/timeline/sequence_mermaid.ts";
import type { CommandContext } from "../command.ts";
import type { ExportFormat, ExportRequest } from "./read_viz_request.ts";
import { count } from "../../core/text.ts";

interface Written {
  name: string;
  content: string | Uint8Array;
}

/**
 * Tells each file on stdout; nothing is written before all is made.
 * @throws {PthError} for a machine that there is not, a recording that cannot be read, a PNG without a font
 */
export async function exportFiles(
  request: ExportRequest,
  { stdout, stderr }: CommandContext,
): Promise<number> {
  const { recording, folder, formats } = request;
  const machines = chosen(request.machines);
  const tell = (text: string) => stderr.write(`${text}\n`);
  const files: Written[] = recording === undefined ? [] : [await sequenceOf(recording)];
  for (const machine of machines) {
    for (const format of formats) files.push(await made[format](machine, tell));
  }
  await mkdir(folder, { recursive: true });
  for (const { name, content } of files) {
    const path = join(folder, name);
    if (typeof content === "string") await writeTextAtomically(path, content);
    else await writeFile(path, content);
    stdout.write(`${path}\n`);
  }
  stderr.write(`${count(files.length, "file")} written\n`);
  return 0;
}

type Tell = (text: string) => void;

const made: Record<ExportFormat, (machine: string, tell: Tell) => Promise<Written>> = {
  svg: async (machine) => ({
    name: `${machine}.svg`,
    content: drawSvg(await machineLayout(machine), { standalone: true }),
  }),
  png: async (machine, tell) => ({
    name: `${machine}.png`,
    content: await toPng(await machineLayout(machine), { tell }),
  }),
  mermaid: (machine) =>
    Promise.resolve({ name: `${machine}.mmd`, content: toMermaid(machineChart(machine)) }),
  dot: (machine) => Promise.resolve({ name: `${machine}.dot`, content: toDot(machineChart(machine)) }),
};

/** Events in a sequence; Mermaid refuses much longer ones. */
const longestSequence = 200;

async function sequenceOf(recording: string): Promise<Written> {
  const timeline = await openTimeline(recording);
  try {
    const rows = await timeline.rows({}, 0, longestSequence);
    const name = basename(recording).replace(/\.jsonl$/, "");
    const content = sequenceMermaid(rows, { total: await timeline.count({}), title: name });
    return { name: `${name}.sequence.mmd`, content };
  } finally {
    await timeline.close();
  }
}

/** @throws {PthError} `INVALID_INPUT` with the nearest one that there is */
function chosen(named: readonly string[]): readonly string[] {
  for (const machine of named) {
    if (machineIds.includes(machine)) continue;
    const near = didYouMean(machine, machineIds);
    throw new PthError("INVALID_INPUT", `Cannot export: unknown machine "${machine}"`, {
      next: [near === undefined ? `The machines are ${machineIds.join(", ")}` : `Did you mean ${near}?`],
    });
  }
  return named.length === 0 ? machineIds : named;
}
