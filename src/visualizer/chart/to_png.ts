/** A picture of a chart as PNG. */
import type { Resvg, ResvgRenderOptions } from "@resvg/resvg-js";
import { PthError } from "../../core/errors.ts";
import { rarePackage } from "../../platform/rare_package.ts";
import type { LaidOutChart } from "./chart.ts";
import { plainStyle, type Theme } from "./style.ts";
import { drawSvg, type SvgOptions } from "./draw_svg.ts";

export interface PngOptions extends Omit<SvgOptions, "standalone"> {
  theme?: Theme;
  /** Pixels of the picture for one of the chart. */
  scale?: number;
  /** Fonts to draw with; the host's, if not given. */
  font?: Required<ResvgRenderOptions>["font"];
  /** Receives a message if the renderer has to be installed first. */
  tell?: (text: string) => void;
}

const backgrounds: Record<Theme, string> = { light: "#ffffff", dark: "#0d1117" };

/** Common ones; the first that is there is taken. */
const monospaced = [
  "DejaVu Sans Mono",
  "Liberation Mono",
  "Noto Sans Mono",
  "Menlo",
  "Consolas",
  "Courier New",
];

const resvg = {
  name: "@resvg/resvg-js",
  purpose: "draws pictures",
  load: () => import("@resvg/resvg-js"),
};

/**
 * @throws {PthError} `UNSUPPORTED` where there is no font: all texts would be missing; `INSTALL_FAILED` where the renderer
 *   is missing and cannot be installed
 */
export async function toPng(laidOut: LaidOutChart, options: PngOptions = {}): Promise<Uint8Array> {
  const { theme = "light", scale = 2, font = { loadSystemFonts: true }, tell, ...drawing } = options;
  const renderer = await rarePackage(resvg, tell);
  const widthOf = (text: string, family: string) => measure(renderer.Resvg, font, text, family);
  if (widthOf("x", "monospace") === undefined) {
    throw new PthError("UNSUPPORTED", `Cannot draw ${laidOut.chart.machine} as PNG: no font is installed`, {
      next: ["Install a monospace font (on Debian: apt-get install fonts-dejavu-core)", "Export SVG instead"],
    });
  }
  const family = monospaced.find((family) => widthOf("xiix", family) === widthOf("xMMx", family));
  const svg = drawSvg(laidOut, { ...drawing, standalone: plainStyle(theme) });
  const picture = new renderer.Resvg(svg, {
    background: backgrounds[theme],
    fitTo: { mode: "zoom", value: scale },
    font: { ...font, ...(family !== undefined && { defaultFontFamily: family }) },
  });
  return picture.render().asPng();
}

/**
 * Width of a text in pixels; undefined without a font. The renderer takes the first family of a list only, or else any
 * font, and leaves texts out where there is none; it says nothing of either.
 */
function measure(
  Renderer: typeof Resvg,
  font: Required<ResvgRenderOptions>["font"],
  text: string,
  family: string,
): number | undefined {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="20">` +
    `<text y="15" font-family="${family}">${text}</text></svg>`;
  return new Renderer(svg, { font }).getBBox()?.width;
}
