/// <reference lib="dom" />
/** A chart as a PNG: the server's SVG with its style, drawn on a canvas at twice its size. */
import type { Highlight } from "../state.ts";
import type { ChartDrawing } from "./chart_drawing.ts";
import { highlightedStates, shownStates } from "./find_state.ts";

const sharpness = 2;
/** Browsers refuse larger canvases. */
const largestSide = 16_000;

/** Query parameters that make the server draw a picture as it is highlighted now. */
export function highlightedIds(drawing: ChartDrawing, lit: Highlight | undefined): Record<string, string> {
  const list = (ids: readonly string[] | undefined) => ids?.join(",") ?? "";
  const active = lit === undefined ? [] : highlightedStates(lit.machine, lit.value);
  return {
    active: list(shownStates(active, drawing.laidOut.states)),
    taken: list(lit?.taken),
    refused: list(lit?.refused.map(({ transition }) => transition)),
    collapsed: list(drawing.collapsed),
  };
}

/** @throws {Error} if the picture is not available or cannot be drawn */
export async function savePng(svgPath: string, name: string): Promise<void> {
  const answer = await fetch(svgPath);
  if (!answer.ok) throw new Error(`The viewer answered ${answer.status}`);
  const text = inTheme(await answer.text(), getComputedStyle(document.body).colorScheme === "dark");
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    save(await drawn(address), `${name}.png`);
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** A picture alone is light or dark as the system is; this one is to be as the page is. */
export const inTheme = (svg: string, dark: boolean): string =>
  svg.replaceAll("@media (prefers-color-scheme: dark)", dark ? "@media all" : "@media not all");

async function drawn(address: string): Promise<Blob> {
  const image = new Image();
  image.src = address;
  await image.decode();
  const scale = Math.min(sharpness, largestSide / Math.max(image.width, image.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(image.width * scale);
  canvas.height = Math.ceil(image.height * scale);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("This browser has no canvas");
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((made) => canvas.toBlob(made, "image/png"));
  if (blob === null) throw new Error("The picture is too large for this browser");
  return blob;
}

function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
