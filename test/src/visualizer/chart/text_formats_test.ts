import t from "tap";
import { machineChart, machineIds } from "../../../../src/visualizer/chart/machine_chart.ts";
import { toDot } from "../../../../src/visualizer/chart/to_dot.ts";
import { chartOf, statesOf } from "../../../../src/visualizer/chart/chart_of.ts";
import { toMermaid } from "../../../../src/visualizer/chart/to_mermaid.ts";
import { trafficMachine } from "./traffic_machine.ts";

const chart = chartOf(trafficMachine);

/** Mermaid's grammar as far as charts use it: what does not fit is told. */
function mermaidFlaws(text: string): string[] {
  const lines = text.trimEnd().split("\n");
  const flaws = lines[0] === "stateDiagram-v2" ? [] : ["does not begin with its name"];
  const known = new Set([...text.matchAll(/ as (s_\w+)/g)].map((found) => found[1]!));
  let depth = 0;
  for (const line of lines.slice(1)) {
    const arrow = /^ +(\S+) --> (\S+)(?: : [^:;"<>{}|\\`]*)?$/.exec(line.replace(/#\d+;/g, ""));
    if (/^ +state "[^"]*" as s_\w+ \{$/.test(line)) depth++;
    else if (/^ +\}$/.test(line)) depth--;
    else if (arrow !== null) {
      const missing = [arrow[1]!, arrow[2]!].filter((end) => end !== "[*]" && !known.has(end));
      if (missing.length > 0) flaws.push(`unknown end: ${line}`);
    } else if (!/^ +(?:--|state "[^"]*" as s_\w+)$/.test(line)) flaws.push(line);
  }
  return depth === 0 ? flaws : [...flaws, "braces do not match"];
}

/** The same of DOT. */
function dotFlaws(text: string): string[] {
  const bare = text.replace(/"(?:[^"\\]|\\.)*"/g, "Q");
  const open = [...bare].filter((sign) => sign === "{").length -
    [...bare].filter((sign) => sign === "}").length;
  const lines = bare.trimEnd().split("\n");
  const attributes = String.raw`(?: \[[\w=, .Q]+\])?`;
  const form = new RegExp(
    String
      .raw`^ *(?:digraph Q \{|subgraph Q \{|\}|(?:\w+=[\wQ]+|(?:node|edge|graph|Q)${attributes}|Q -> Q${attributes});)$`,
  );
  return [...lines.filter((line) => !form.test(line)), ...(open === 0 ? [] : ["braces do not match"])];
}

t.test("Mermaid: states in states, regions, first and last states, texts without signs of its own", (t) => {
  const text = toMermaid(chart);
  t.strictSame(mermaidFlaws(text), []);
  for (
    const line of [
      '  state "traffic" as s_traffic {',
      "    [*] --> s_traffic__starting",
      "      --",
      "        s_traffic__running__people__gone --> [*]",
      "  s_traffic__running__cars__green --> s_traffic__running__cars__red : light.change [cars #62; 3]",
      "  s_traffic__running__cars__red --> s_traffic__dark : always [isNight]",
    ]
  ) t.ok(text.split("\n").includes(line), line);
  t.end();
});

t.test("DOT: clusters, lines that end at their borders, and those that lead from any state", (t) => {
  const text = toDot(chart);
  t.strictSame(dotFlaws(text), []);
  for (
    const line of [
      '  subgraph "cluster traffic" {',
      '    "traffic.dark" [label="dark", peripheries=2];',
      '    "any traffic" [shape=plaintext, label="in any state"];',
      '  "any traffic" -> "traffic.dark" [label="power.cut"];',
      '  "traffic.starting" -> "traffic.running.cars.green" [label="warmUp done", lhead="cluster traffic.running"];',
      '  "traffic.running.cars.green" -> "traffic.dark" [label="running done", ltail="cluster traffic.running"];',
    ]
  ) t.ok(text.split("\n").includes(line), line);
  t.end();
});

t.test("every machine can be written in both", (t) => {
  for (const id of machineIds) {
    const own = machineChart(id);
    t.strictSame(mermaidFlaws(toMermaid(own)), [], `${id} as Mermaid`);
    t.strictSame(dotFlaws(toDot(own)), [], `${id} as DOT`);
    for (const { id } of statesOf(own.root)) {
      t.ok(toDot(own).includes(`"${id}"`) || toDot(own).includes(`${id}"`));
    }
  }
  t.end();
});

t.test("ids that differ in odd signs only keep apart, and end no text", (t) => {
  const odd = (id: string) => ({ ...chart.root, id, key: 'a"b\\', kind: "atomic" as const, children: [] });
  const ids = ["a-b", "a b", "a_2d_b", "a.b", "a__b", "end"];
  const root = { ...chart.root, children: ids.map((id) => odd(`traffic.${id}`)) };
  const text = toMermaid({ ...chart, root, transitions: [] });
  t.strictSame(mermaidFlaws(text), []);
  t.equal(new Set(text.match(/ as \S+/g)).size, 1 + ids.length);
  t.strictSame(dotFlaws(toDot({ ...chart, root, transitions: [] })), []);
  t.end();
});
