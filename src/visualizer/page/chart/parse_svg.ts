/// <reference lib="dom" />

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
