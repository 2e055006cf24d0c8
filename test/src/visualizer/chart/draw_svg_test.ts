import t from "tap";
import { machineLayout } from "../../../../src/visualizer/chart/machine_chart.ts";
import { chartOf, statesOf } from "../../../../src/visualizer/chart/chart_of.ts";
import { layOutChart } from "../../../../src/visualizer/chart/lay_out_chart.ts";
import { chartStyle } from "../../../../src/visualizer/chart/style.ts";
import { drawSvg } from "../../../../src/visualizer/chart/draw_svg.ts";
import { trafficMachine } from "./traffic_machine.ts";
import { parseXml, type XmlElement } from "../../parse_xml.ts";

const laidOut = await layOutChart(chartOf(trafficMachine));
const byData = (elements: XmlElement[], name: string, value: string) =>
  elements.filter(({ attributes }) => attributes[`data-${name}`]?.split(" ").includes(value));

t.test("a picture has every state and every transition, under the names of a recording", (t) => {
  const elements = parseXml(drawSvg(laidOut));
  for (const { id } of statesOf(laidOut.chart.root)) t.equal(byData(elements, "state", id).length, 1, id);
  for (const { id } of laidOut.chart.transitions) t.equal(byData(elements, "transition", id).length, 1, id);
  const lines = elements.filter(({ attributes }) => attributes["data-edge"] !== undefined);
  t.strictSame(
    lines.map(({ attributes }) => attributes["data-transitions"]),
    laidOut.edges.map((edge) => edge.transitions.join(" ")),
  );
  t.end();
});

t.test("a picture says what it is, and the full text where one is shortened", (t) => {
  const elements = parseXml(drawSvg(laidOut));
  t.match(elements[0], { name: "svg", attributes: { role: "img", "data-machine": "traffic" } });
  t.match(elements[1], { name: "title", text: "traffic" });
  t.match(elements[2], { name: "desc", text: "A crossing <with> lights." });
  const titles = elements.filter(({ name }) => name === "title").map(({ text }) => text);
  t.ok(
    titles.includes("light.change [cars > 3] / emit jam → traffic.running.cars.red"),
    "actions are in the title",
  );
  t.end();
});

t.test("what is beneath a text beside a line is as light as the state around it, and hides the line", async (t) => {
  const call = await machineLayout("call");
  const elements = parseXml(drawSvg(call)).map(({ attributes }) => attributes);
  const classesOf = (one: Record<string, string>) => one["class"]?.split(" ") ?? [];
  const light = elements.filter((one) => classesOf(one).includes("level")).map((one) => one["data-state"]);
  const pills = elements.filter((one) => classesOf(one).includes("pill"));
  t.strictSame(
    [...new Set(pills.map((one) => one["class"]))].sort(),
    ["pill", "pill level"],
    "there are both",
  );
  for (const [index, { source }] of call.edges.entries()) {
    const around = source.slice(0, source.lastIndexOf("."));
    t.equal(classesOf(pills[index]!).includes("level"), light.includes(around), source);
  }
  t.notMatch(chartStyle, /\.pill[^}]*opacity/);
});

t.test("what is active, taken and refused has these classes, and nothing else has them", (t) => {
  const elements = parseXml(drawSvg(laidOut, {
    active: ["traffic.running", "traffic.running.cars.green"],
    taken: ["traffic.running.cars.green|light.change|1"],
    refused: ["traffic.running.cars.green|light.change|2", "traffic.running.people.waiting|walk|0"],
  }));
  const having = (name: string) =>
    elements.filter(({ attributes }) => attributes["class"]?.split(" ").includes(name))
      .map(({ attributes }) =>
        attributes["data-state"] ?? attributes["data-transition"] ?? attributes["data-edge"]
      );
  const line = (id: string) => String(laidOut.edges.findIndex(({ transitions }) => transitions.includes(id)));
  t.strictSame(having("active"), ["traffic.running", "traffic.running.cars.green"]);
  t.strictSame(having("taken").sort(), [
    line("traffic.running.cars.green|light.change|1"),
    "traffic.running.cars.green|light.change|1",
  ]);
  t.strictSame(having("refused").sort(), [
    line("traffic.running.people.waiting|walk|0"),
    "traffic.running.cars.green|light.change|2",
    "traffic.running.people.waiting|walk|0",
  ]);
  t.end();
});

t.test("a picture alone has its style in it, and asks nobody for anything", (t) => {
  const alone = drawSvg(laidOut, { standalone: true });
  t.ok(alone.includes(chartStyle));
  t.ok(alone.includes("prefers-color-scheme: dark"));
  t.notOk(drawSvg(laidOut).includes("<style>"));
  const addresses = alone.match(/(?:https?:|url\(|@import)[^"' ]*/g) ?? [];
  t.strictSame(addresses, ["http://www.w3.org/2000/svg"], "but the name of the format");
  t.end();
});

t.test("names with signs of XML do not break a picture", async (t) => {
  const chart = chartOf(trafficMachine);
  const odd = { ...chart, machine: '"<&>', root: { ...chart.root, key: "<b>&'\"" } };
  const elements = parseXml(drawSvg(await layOutChart(odd, { collapsed: ["traffic"] })));
  t.match(elements[0], { attributes: { "data-machine": '"<&>' } });
  t.ok(elements.some(({ text }) => text === "<b>&'\" …"));
});

t.test("texts stand out from what is beneath them, in light and in dark", (t) => {
  const [light, dark] = chartStyle.split("@media");
  for (const [theme, text] of Object.entries({ light, dark })) {
    const colours = new Map(
      [...text!.matchAll(/--chart-([\w-]+): (#\w{6})/g)].map((found) => [found[1]!, found[2]!]),
    );
    for (const ink of ["text", "quiet", "event", "after", "done", "error", "taken", "refused"]) {
      for (const paper of ["paper", "inside", "leaf", "active"]) {
        const contrast = contrastOf(colours.get(ink)!, colours.get(paper)!);
        t.ok(contrast >= 4.5, `${theme}: ${ink} on ${paper} is ${contrast.toFixed(1)}`);
      }
    }
  }
  t.end();
});

/** As WCAG 2 defines it. */
function contrastOf(one: string, other: string): number {
  const [dark = 0, bright = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
