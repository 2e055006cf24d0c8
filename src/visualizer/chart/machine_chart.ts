/** The charts of PTH's own machines; each is read, and laid out, once, when it is first asked for. */
import * as machines from "../../../machines/mod.ts";
import { PthError } from "../../core/errors.ts";
import type { Chart, LaidOutChart } from "./chart.ts";
import { chartOf, outermost, statesOf } from "./chart_of.ts";
import { layOutChart } from "./lay_out_chart.ts";
import { createHash } from "node:crypto";
import { readTextFile } from "../../platform/files.ts";
import { ownFile } from "../../platform/own_files.ts";

const byId = new Map(Object.values(machines).map((machine) => [machine.id as string, machine]));
const charts = new Map<string, Chart>();
const layouts = new Map<string, Promise<LaidOutChart>>();

/** Ids of all machines, in the order of their files. */
export const machineIds: readonly string[] = [...byId.keys()];

/** @throws {PthError} `INVALID_INPUT` for an id that no machine has. */
export function machineChart(id: string): Chart {
  const known = charts.get(id);
  if (known !== undefined) return known;
  const machine = byId.get(id);
  if (machine === undefined) {
    throw new PthError("INVALID_INPUT", `Cannot show machine ${id}: there is none of this name`, {
      next: [`Ask for one of ${machineIds.join(", ")}`],
    });
  }
  const chart = chartOf(machine);
  charts.set(id, chart);
  return chart;
}

/**
 * @param collapsed Ids of states to draw without their children; what is no such state counts for nothing.
 * @throws {PthError} `INVALID_INPUT` for an id that no machine has.
 */
export async function machineLayout(id: string, collapsed: readonly string[] = []): Promise<LaidOutChart> {
  const chart = machineChart(id);
  const folded = [...statesOf(chart.root)].filter(({ id, children }) =>
    children.length > 0 && collapsed.includes(id)
  );
  const ids = outermost(folded.map(({ id }) => id));
  const key = [id, ...ids].join(" ");
  const layout = layouts.get(key) ?? (ids.length === 0 ? wholeLayout(chart) : foldedLayout(chart, ids));
  layouts.set(key, layout);
  return await layout;
}

const wholeLayout = async (chart: Chart): Promise<LaidOutChart> =>
  storedLayout(await readStoredLayouts(), chart) ?? await layOutChart(chart);

/** As much like the whole as can be: who folds a state looks for the others where they were. */
async function foldedLayout(chart: Chart, collapsed: string[]): Promise<LaidOutChart> {
  const { directions } = await machineLayout(chart.machine);
  return await layOutChart(chart, { collapsed, directions });
}

/**
 * Layouts of PTH's own machines, made by `deno task gen` and kept beside this file: laying out a large machine takes
 * seconds, reading its layout some milliseconds.
 */
export interface StoredLayouts {
  /** Tells what laid them out: `deno task gen` keeps what it would make again. */
  madeBy: string;
  /** By the machine's id. */
  layouts: Record<string, StoredLayout>;
}

interface StoredLayout extends Omit<LaidOutChart, "chart" | "collapsed"> {
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
