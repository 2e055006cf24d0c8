import t from "tap";
import type { TracedCall } from "../../../machines/model/test_trace.ts";
import { runCommand } from "../../../src/platform/process.ts";
import cargo from "../../../src/project_tests/frameworks/cargo.ts";
import catch2 from "../../../src/project_tests/frameworks/catch2.ts";
import { isThere, madeProgram, runTraced, traced, type TracedProgram } from "../../support/traced_program.ts";

/** Each call of `parse` as it begins and ends, with the depth of its own nesting. */
const told = (calls: readonly TracedCall[]) =>
  calls.map(({ seq, parent, ...call }) => ({
    ...call,
    within: parent === undefined ? undefined : seq - parent,
  }));

t.test("Python: calls with arguments, results, exceptions and watched variables, in their order", async (t) => {
  const { code, stdout, summary, calls } = await traced({
    language: "python",
    files: {
      "parser.py": `
count = 0
class Parser:
    def parse(self, text):
        global count
        count += 1
        if not text:
            raise ValueError("empty")
        try:
            return self.parse(text[1:])
        except ValueError:
            return [text]
`,
      "run.py": `
import sys
from parser import Parser
print(Parser().parse("ab"))
sys.exit(3)
`,
    },
    run: { argv: ["python3", "run.py"] },
    patterns: ["Parser.parse", "prase"],
    variable: "count",
  });
  t.equal(code, 3, "the program ends as it does without");
  t.equal(stdout.trim(), "['b']");
  t.same(summary.patterns, [
    { pattern: "Parser.parse", functions: 1, near: [] },
    { pattern: "prase", functions: 0, near: [] },
  ]);
  t.match(told(calls), [
    { function: "parser.Parser.parse", arguments: { text: "'ab'" }, returned: "['b']", calledAt: "run.py:4" },
    { arguments: { text: "'b'" }, returned: "['b']", within: 1, watched: { before: { count: "1" } } },
    { arguments: { text: "''" }, within: 1, watched: { before: { count: "2" }, after: { count: "3" } } },
  ]);
});

t.test("Node: calls with arguments, results, exceptions and watched variables, in their order", async (t) => {
  const { code, stdout, summary, calls } = await traced({
    language: "javascript",
    files: {
      "parser.mjs": `
export const state = { count: 0 };
export class Parser {
  parse(text) {
    state.count++;
    if (text === "") throw new Error("empty");
    try {
      return this.parse(text.slice(1));
    } catch {
      return [text];
    }
  }
}
export const twice = (number) => number * 2;
`,
      "run.mjs": `
import { Parser, twice } from "./parser.mjs";
console.log(new Parser().parse("ab"), twice(21));
process.exitCode = 3;
`,
    },
    run: { argv: ["node", "run.mjs"] },
    patterns: ["parser.Parser.parse", "twice", "prase"],
    variable: "state.count",
  });
  t.equal(code, 3, "the program ends as it does without");
  t.equal(stdout.trim(), "[ 'b' ] 42");
  t.same(summary.patterns.map(({ functions }) => functions), [1, 1, 0]);
  t.match(told(calls), [
    {
      function: "parser.Parser.parse",
      arguments: { text: '"ab"' },
      returned: '["b"]',
      calledAt: "run.mjs:3",
    },
    { arguments: { text: '"b"' }, returned: '["b"]', within: 1, watched: { before: { "state.count": "1" } } },
    { arguments: { text: '""' }, raised: "left by an exception", within: 1 },
    { function: "parser.twice", arguments: { number: "21" }, returned: "42", within: undefined },
  ]);
});

const noGdb = await isThere("gdb") ? false : "there is no gdb";

t.test("C++: calls with arguments, results and watched variables, in their order", {
  skip: noGdb || (await isThere("g++") ? false : "there is no g++"),
}, async (t) => {
  const { code, stdout, summary, calls } = await traced({
    language: "c++",
    files: {
      "run.cpp": `
#include <cstdio>
#include <string>
#include <stdexcept>
int count = 0;
namespace parser {
namespace { int hidden(int number) { return number; } }
__attribute__((noinline)) int parse(const std::string& text, int depth) {
  count++;
  if (depth == 2) throw std::runtime_error("deep");
  try { return parse(text.substr(1), depth + 1) + 1; } catch (const std::runtime_error&) { return depth; }
}
}
namespace other {
int parse(int) { return 0; }
template <class T> struct Box { T value; T get(int) const { return value; } };
}
int main() { std::printf("%d\\n", parser::parse("abc", other::Box<int>{0}.get(other::parse(parser::hidden(1))))); return 3; }
`,
    },
    build: ["g++", "-g", "-O0", "-o", "run", "run.cpp"],
    run: { argv: ["./run"] },
    patterns: [
      "parser::*",
      "parser::prase",
      ...catch2.suggestTraces!({
        name: "fails",
        status: "failed",
        message: "CHECK( other::parse(1) == 0 )",
        stack: [
          "other::Box<int>::get(int) const (run.cpp:16)",
          "parser::(anonymous namespace)::hidden() (run.cpp:7)",
        ],
      }),
    ],
    variable: "count",
  });
  t.equal(code, 3, "the program ends as it does without");
  t.equal(stdout.trim(), "2");
  t.same(summary.patterns, [
    { pattern: "parser::*", functions: 2, near: [] },
    { pattern: "parser::prase", functions: 0, near: ["parser::parse"] },
    { pattern: "other::Box::get", functions: 1, near: [] },
    { pattern: "parser::hidden", functions: 1, near: [] },
    { pattern: "other::parse", functions: 1, near: [] },
  ]);
  t.match(told(calls), [
    { function: "parser::hidden", arguments: { number: "1" }, returned: "1" },
    { function: "other::parse", returned: "0" },
    { function: "other::Box::get", arguments: { this: "&{value = 0}" }, returned: "0" },
    {
      function: "parser::parse",
      arguments: { text: '"abc"', depth: "0" },
      returned: "2",
      calledAt: "run.cpp:18",
    },
    { arguments: { text: '"bc"' }, returned: "1", within: 1, watched: { before: { count: "1" } } },
    { arguments: { text: '"c"', depth: "2" }, raised: /exception/, within: 1 },
  ]);
});

t.test("Rust: values are as the language shows them, and one that gdb gets wrong is only named by its type", {
  skip: noGdb || (await isThere("rustc") ? false : "there is no rustc"),
}, async (t) => {
  const program = {
    language: "rust",
    files: {
      "run.rs": `
use std::{backtrace::Backtrace, collections::HashMap};
fn keep() { eprintln!("{}", Backtrace::force_capture()); }
struct Square(f64);
trait Shape { fn area(&self) -> f64; }
impl Shape for Square { fn area(&self) -> f64 { keep(); self.0 * self.0 } }
struct Stack<T> { items: Vec<T> }
impl<T> Stack<T> { fn push(&mut self, item: T) -> usize { keep(); self.items.push(item); self.items.len() } }
fn first<T: Copy>(items: &[T]) -> T { let call = || keep(); call(); items[0] }
#[inline(never)] fn find(names: &HashMap<String, u32>, name: &str) -> Option<u32> { names.get(name).copied() }
#[inline(never)] fn text(number: u32) -> Option<String> { if number > 1 { Some("two".to_string()) } else { None } }
#[inline(never)] fn number(text: &str) -> Result<String, std::num::ParseIntError> {
  text.parse::<u32>().map(|number| number.to_string())
}
fn main() {
    let names = HashMap::from([("a".to_string(), 7)]);
    println!("{} {}", Square(2.0).area(), Stack { items: vec![] }.push(first(&[7u8])));
    println!("{:?} {:?} {:?} {:?}", find(&names, "a"), text(2), text(1), number("x").is_err());
    std::process::exit(3)
}
`,
    },
    build: ["rustc", "-g", "run.rs"],
    run: { argv: ["./run"] },
  };
  const project = await madeProgram(program);
  const { stderr } = await runCommand(program.run.argv, { cwd: project });
  const frames = [...stderr.matchAll(/^ +\d+: (.*)\n +at (?:\.\/)?(run\.rs:\d+:\d+)$/gm)].map((
    [, name, place],
  ) => `${name} (${place})`);
  const suggested = frames.flatMap((frame) =>
    cargo.suggestTraces!({ name: "fails", status: "failed", stack: [frame] })
  ).filter((name) => !/::(?:keep|main)$/.test(name));
  t.same([...new Set(suggested)], ["run::Square::area", "run::first", "run::Stack::push"]);
  const { code, stdout, summary, calls } = await runTraced(project, {
    ...program,
    patterns: ["run::find", "run::text", "run::number", "Square::*", ...new Set(suggested)],
  });
  t.equal(code, 3, "the program ends as it does without");
  t.same(summary.patterns.map(({ functions }) => functions), [1, 1, 1, 1, 1, 1, 1]);
  t.equal(stdout, '4 1\nSome(7) Some("two") None true\n');
  t.match(calls.map(({ function: name, arguments: given, returned }) => [name, given, returned]), [
    ["run::Square::area", { self: "&run::Square (2)" }, "4"],
    ["run::first", { items: /7/ }, "7"],
    ["run::Stack::push", { item: "7" }, "1"],
    ["run::find", { names: /"a".*7/, name: '"a"' }, /^<.*Option<u32>>$/],
    ["run::text", { number: "2" }, 'Some("two")'],
    ["run::text", { number: "1" }, "None"],
    ["run::number", { text: '"x"' }, /^Err.*InvalidDigit/],
  ]);
});

const hotPrograms: (Omit<TracedProgram, "patterns" | "most"> & { skip?: string | false })[] = [
  {
    language: "python",
    files: {
      "run.py":
        "def add(a):\n    return a + 1\ndef fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n" +
        "a = 0\nfor _ in range(5000):\n    a = add(a)\nprint(a, fib(12))\n",
    },
    run: { argv: ["python3", "run.py"] },
  },
  {
    language: "javascript",
    files: {
      "run.mjs":
        "function add(a) {\n  return a + 1;\n}\nconst fib = (n) => n < 2 ? n : fib(n - 1) + fib(n - 2);\n" +
        "let a = 0;\nfor (let i = 0; i < 5000; i++) a = add(a);\nconsole.log(a, fib(12));\n",
    },
    run: { argv: ["node", "run.mjs"] },
  },
  {
    language: "c++",
    files: {
      "run.c": "#include <stdio.h>\n__attribute__((noinline)) int add(int a) { return a + 1; }\n" +
        "__attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n" +
        'int main() { int a = 0; for (int i = 0; i < 5000; i++) a = add(a); printf("%d %d\\n", a, fib(12)); }\n',
    },
    build: ["gcc", "-g", "-O0", "-o", "run", "run.c"],
    run: { argv: ["./run"] },
    skip: noGdb || (await isThere("gcc") ? false : "there is no gcc"),
  },
];
for (const { skip = false, ...program } of hotPrograms) {
  t.test(`${program.language}: a function that is called too often is not followed any more, and is told`, {
    skip,
  }, async (t) => {
    const { stdout, summary, calls } = await traced({ ...program, patterns: ["add", "fib"], most: 20 });
    t.equal(stdout.trim(), "5000 144", "the program ends as it does without");
    for (const [name, all] of [["add", 5000], ["fib", 465]] as const) {
      const of = calls.filter((call) => new RegExp(`\\b${name}$`).test(call.function));
      t.equal(of.length, 20);
      const note = summary.notes.find((note) => new RegExp(`\\b${name} was called more than`).test(note))!;
      // Where the kernel or the language counts them, it counts all.
      const counted = `: ${all - 20} later calls were only counted`;
      t.match(note, note.includes("counted") ? counted : "later calls were not followed");
    }
  });
}
