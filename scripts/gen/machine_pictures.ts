/** The pictures that machines/README.md shows, one for each machine, and the layouts that the visualizer begins with. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { readTextFile, readTextIfExists } from "../../src/platform/files.ts";
import {
  machineChart,
  machineIds,
  storedLayout,
  type StoredLayouts,
  toStored,
} from "../../src/visualizer/chart/machine_chart.ts";
import type { LaidOutChart } from "../../src/visualizer/chart/chart.ts";
import { layOutChart } from "../../src/visualizer/chart/lay_out_chart.ts";
import { drawSvg } from "../../src/visualizer/chart/draw_svg.ts";
import { jsonIn } from "../../src/core/values.ts";
import { findImports } from "../checks/imports.ts";
import type { GeneratedFile } from "./generated_file.ts";

const folder = "src/visualizer/chart";
const layoutsFile = `${folder}/layouts.json`;

/** Lays out only what was not laid out before, by the same code: that takes seconds. */
export async function machinePictures(root: string): Promise<GeneratedFile[]> {
  const madeBy = await makerOf(root);
  const before = await readBefore(root);
  const known = before?.madeBy === madeBy ? before : { madeBy, layouts: {} };
  const laidOut: LaidOutChart[] = [];
  for (const chart of machineIds.map(machineChart)) {
    laidOut.push(storedLayout(known, chart) ?? await layOutChart(chart));
  }
  return [
    { path: layoutsFile, text: textOf(madeBy, laidOut) },
    ...laidOut.map((one) => ({
      path: `docs/machines/${one.chart.machine}.svg`,
      text: drawSvg(one, { standalone: true }),
    })),
  ];
}

/** Undefined where there is none, or what is there is no JSON any more: after a merge, say. */
async function readBefore(root: string): Promise<StoredLayouts | undefined> {
  const text = await readTextIfExists(join(root, layoutsFile));
  return text === undefined ? undefined : jsonIn(text) as StoredLayouts | undefined;
}

/** One line for each machine. */
const textOf = (madeBy: string, laidOut: LaidOutChart[]): string =>
  `{"madeBy":"${madeBy}","layouts":{\n${
    laidOut.map((one) => `"${one.chart.machine}":${JSON.stringify(toStored(one))}`).join(",\n")
  }\n}}\n`;

/** A hash of the code that lays charts out, and of ELK's version. */
async function makerOf(root: string): Promise<string> {
  const hash = createHash("sha256");
  const { version } = JSON.parse(await readTextFile(join(root, "node_modules/elkjs/package.json"))) as {
    version: string;
  };
  hash.update(version);
  const sources = new Set([`${folder}/lay_out_chart.ts`]);
  for (const path of sources) {
    const text = await readTextFile(join(root, path));
    hash.update(text);
    for (const found of findImports(path, text)) {
      if (!found.typeOnly && found.path?.startsWith(`${folder}/`)) sources.add(found.path);
    }
  }
  return hash.digest("hex").slice(0, 16);
}
