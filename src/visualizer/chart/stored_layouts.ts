/**
 * Layouts of PTH's own machines, made by `deno task gen` and kept beside this file: laying out a large machine takes
 * seconds, reading its layout some milliseconds.
 */
import { createHash } from "node:crypto";
import { readTextFile } from "../../platform/files.ts";
import { ownFile } from "../../platform/own_files.ts";
import type { Chart, LaidOutChart } from "./chart.ts";

export interface StoredLayouts {
  /** Tells what laid them out: `deno task gen` keeps what it would make again. */
  madeBy: string;
  /** By the machine's id. */
  layouts: Record<string, StoredLayout>;
}

export interface StoredLayout extends Omit<LaidOutChart, "chart" | "collapsed"> {
  /** `chartHash` of the chart that was laid out. */
  of: string;
}

let stored: Promise<StoredLayouts> | undefined;

/** Those that were generated; read once. */
export const readStoredLayouts = (): Promise<StoredLayouts> =>
  stored ??= readTextFile(ownFile("src/visualizer/chart/layouts.json")).then((text) =>
    JSON.parse(text) as StoredLayouts
  );

/** The layout of just this chart; undefined where the machine has none, or has changed since. */
export function storedLayout({ layouts }: StoredLayouts, chart: Chart): LaidOutChart | undefined {
  const known = layouts[chart.machine];
  if (known?.of !== chartHash(chart)) return undefined;
  const { of: _, ...layout } = known;
  return { chart, ...layout, collapsed: [] };
}

export function toStored({ chart, collapsed: _, ...layout }: LaidOutChart): StoredLayout {
  return { of: chartHash(chart), ...layout };
}

const chartHash = (chart: Chart): string =>
  createHash("sha256").update(JSON.stringify(chart)).digest("hex").slice(0, 16);
