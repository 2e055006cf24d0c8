/// <reference lib="dom" />
/** The pictures of machines, as the server drew them: fetched once each. */
import type { LaidOutChart } from "../../chart/chart.ts";
import { api } from "../api.ts";

export interface ChartDrawing {
  machine: string;
  /** States that are drawn without their children. */
  collapsed: readonly string[];
  laidOut: LaidOutChart;
  /** SVG without a style of its own: the page's applies. */
  svg: string;
}

const drawings = new Map<string, Promise<ChartDrawing>>();

/** @throws {ApiFailure} */
export function drawingOf(machine: string, collapsed: readonly string[] = []): Promise<ChartDrawing> {
  const key = [machine, ...collapsed].join(" ");
  const known = drawings.get(key);
  if (known !== undefined) return known;
  const asked = ask(machine, collapsed);
  drawings.set(key, asked);
  // A failed request is repeated next time; its error goes to the caller.
  asked.catch(() => drawings.delete(key));
  return asked;
}

async function ask(machine: string, collapsed: readonly string[]): Promise<ChartDrawing> {
  const [laidOut, svg] = await Promise.all([
    api.machine(machine, collapsed),
    api.machineSvg(machine, collapsed),
  ]);
  return { machine, collapsed, laidOut, svg };
}

/**
 * A picture of the server's own as an element.
 *
 * @throws {Error} where the text is no SVG
 */
export function parseSvg(text: string): SVGSVGElement {
  const read = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (read.localName !== "svg") throw new Error(`Cannot read the picture: ${read.textContent}`);
  return document.importNode(read, true) as unknown as SVGSVGElement;
}
