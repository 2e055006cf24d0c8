/// <reference lib="dom" />
import t from "tap";
import { chartParts, highlight } from "../../../../../src/visualizer/page/chart/highlight_chart.ts";

/** As much of a drawn picture as lighting it asks for; there is no browser here. */
class Part {
  parts: Part[] = [];
  parentNode: Part | undefined;
  moves = 0;
  readonly names = new Set<string>();
  readonly data: Record<string, string>;
  readonly classList = {
    contains: (name: string) => this.names.has(name),
    toggle: (name: string, on: boolean) => on ? void this.names.add(name) : void this.names.delete(name),
  };

  constructor(data: Record<string, string>, ...parts: Part[]) {
    this.data = data;
    for (const part of parts) this.insertBefore(part, null);
    this.moves = 0;
  }

  get nextElementSibling(): Part | null {
    const all = this.parentNode?.parts ?? [];
    return all[all.indexOf(this) + 1] ?? null;
  }

  insertBefore(part: Part, next: Part | null): void {
    this.moves++;
    part.parentNode = this;
    this.parts = this.parts.filter((one) => one !== part);
    this.parts.splice(next === null ? this.parts.length : this.parts.indexOf(next), 0, part);
  }

  hasAttribute = (name: string): boolean => name in this.data;
  getAttribute = (name: string): string | null => this.data[name] ?? null;
  querySelectorAll = (selector: string): Part[] =>
    this.parts.filter(({ data }) => selector.slice(1, -1) in data);
}

const line = (index: number, ...ids: string[]) =>
  new Part({ "data-edge": `${index}`, "data-transitions": ids.join(" ") });
const picture = () =>
  new Part(
    {},
    new Part({ "data-state": "m.a" }),
    line(0, "a|go|0", "a|go|1"),
    line(1, "a|stop|0"),
    line(2, "b|go|0"),
    new Part({ "data-transition": "a|go|0" }),
  );
const lit = (svg: Part) =>
  svg.parts.filter(({ names }) => names.size > 0).map((
    { data, names },
  ) => [Object.values(data)[0], ...names]);

t.test("a line that is lit lies on top of all lines, and beneath the texts", (t) => {
  const svg = picture();
  const parts = chartParts(svg as unknown as SVGSVGElement);
  highlight(parts, { active: ["m.a"], taken: ["a|go|0"], refused: [] });
  t.strictSame(svg.parts.map(({ data }) => data["data-edge"]), [undefined, "1", "2", "0", undefined]);
  t.strictSame(lit(svg), [["m.a", "active"], ["0", "taken"], ["a|go|0", "taken"]]);
  t.end();
});

t.test("what is lit already is not moved: that would begin its animation anew", (t) => {
  const svg = picture();
  const parts = chartParts(svg as unknown as SVGSVGElement);
  const taken = ["a|go|0", "a|stop|0"];
  highlight(parts, { active: [], taken, refused: [] });
  const { moves } = svg;
  highlight(parts, { active: [], taken, refused: [] });
  t.equal(svg.moves, moves);
  highlight(parts, { active: [], taken: [], refused: ["b|go|0"] });
  t.strictSame(lit(svg), [["2", "refused"]]);
  t.end();
});
