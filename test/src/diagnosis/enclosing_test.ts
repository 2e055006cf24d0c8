import t from "tap";
import { enclosingName } from "../../../src/diagnosis/enclosing.ts";

/** Name around the line that holds `HERE`. */
function around(text: string): string | undefined {
  const lines = text.split("\n");
  return enclosingName(lines, lines.findIndex((line) => line.includes("HERE")) + 1);
}

t.test("a line belongs to the function, tool or case around it", (t) => {
  const samples: [what: string, text: string, name: string | undefined][] = [
    ["a function", "function one() {\n  if (x) {\n    HERE;\n  }\n}\n", "one"],
    ["an arrow function", "const two = (x: number): number => {\n  HERE;\n};\n", "two"],
    ["a method", "class A {\n  async three(x) {\n    HERE;\n  }\n}\n", "three"],
    ["a tool", 'server.registerTool("four", {}, () => {\n  HERE;\n});\n', "four"],
    [
      "a tool on the next line",
      'server.registerTool(\n  "five",\n  {},\n  () => {\n    HERE;\n  },\n);\n',
      "five",
    ],
    [
      "a case",
      'function all(name) {\n  switch (name) {\n    case "six": {\n      HERE;\n    }\n  }\n}\n',
      "six",
    ],
    ["an if on the name", 'def all(name):\n    if name == "seven":\n        HERE\n', "seven"],
    [
      "an entry of a table",
      "const tools = {\n  eight: {\n    call: () => {\n      HERE;\n    },\n  },\n};\n",
      "eight",
    ],
    ["Python", "def nine(a):\n    for x in a:\n        HERE\n", "nine"],
    ["Rust", "impl S {\n    pub fn ten(&self) {\n        HERE\n    }\n}\n", "ten"],
    ["the top of a file", "import x\nHERE\n", undefined],
    ["after a function", "def nine(a):\n    return a\n\nHERE\n", undefined],
  ];
  for (const [what, text, name] of samples) t.equal(around(text), name, what);
  t.end();
});
