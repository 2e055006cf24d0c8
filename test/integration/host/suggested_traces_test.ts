import t, { type Test } from "tap";
import type { ProjectTest } from "../../../machines/model/project_test.ts";
import { runCommand } from "../../../src/platform/process.ts";
import go from "../../../src/project_tests/frameworks/go.ts";
import maven from "../../../src/project_tests/frameworks/maven.ts";
import nodeTest from "../../../src/project_tests/frameworks/node_test.ts";
import pytest from "../../../src/project_tests/frameworks/pytest.ts";
import { goFailure } from "../../../src/project_tests/readers/go_failure.ts";
import { javaFailure, javaSources } from "../../../src/project_tests/readers/java_failure.ts";
import { isThere, madeProgram, runTraced, type TracedProgram } from "../../support/traced_program.ts";

interface Suggesting extends Omit<TracedProgram, "patterns"> {
  skip?: string | false;
  /** Patterns from what the program printed, as after a failed test. */
  suggested(output: string, project: string): string[];
  expected: string[];
  /** Patterns besides. */
  also?: string[];
  check?(t: Test, run: Awaited<ReturnType<typeof runTraced>>): void;
}

const failed = { name: "fails", status: "failed" } as const;
const linesOf = (output: string) => [...new Set(output.split("\n"))].filter((line) => line.trim() !== "");
/** Each frame is that of another failure, as an answer has few patterns. */
const ofFrames = (frames: string[], suggest: (test: ProjectTest) => string[]) => [
  ...new Set(frames.flatMap((frame) => suggest({ ...failed, stack: [frame] }))),
];
const noGdb = await isThere("gdb") ? false : "there is no gdb";

const programs: Record<string, Suggesting> = {
  python: {
    language: "python",
    files: {
      "run.py": `
import traceback
def keep():
    for line in reversed(traceback.extract_stack()[:-1]):
        print('File "%s", line %d, in %s' % (line.filename, line.lineno, line.name))
class Base:
    def __init__(self):
        keep()
    def method(self):
        keep()
    @staticmethod
    def fixed():
        keep()
    @property
    def value(self):
        keep()
class Derived(Base):
    pass
def outer():
    def inner():
        keep()
    inner()
def generate():
    keep()
    yield 1
one = Derived()
one.method(), one.value, Derived.fixed(), outer(), list(generate()), (lambda: keep())()
`,
    },
    run: { argv: ["python3", "run.py"] },
    suggested: (output, project) =>
      ofFrames(linesOf(output).map((line) => line.replace(`${project}/`, "")), pytest.suggestTraces!),
    expected: ["__init__", "method", "value", "fixed", "inner", "outer", "generate"],
  },
  javascript: {
    language: "javascript",
    files: {
      "run.mjs": `
const keep = () => console.log(new Error("x").stack.split("\\n").slice(2).join("\\n"));
class Base {
  constructor() { keep(); }
  method() { keep(); }
  static fixed() { keep(); }
  get value() { return keep(); }
  #hidden() { keep(); }
  callHidden() { this.#hidden(); }
  field = () => { keep(); };
  async later() { await null; keep(); }
  *generate() { keep(); yield 1; }
}
class Derived extends Base {}
const literal = { parse() { keep(); }, arrow: () => { keep(); }, deep: { function: function () { keep(); } } };
const assigned = {};
assigned.thing = function () { keep(); };
function outer() { [1].forEach(function inner() { keep(); }); }
export default function () { keep(); }
const one = new Derived();
one.method(); Derived.fixed(); one.value; one.callHidden(); one.field(); await one.later(); [...one.generate()];
literal.parse(); literal.arrow(); literal.deep.function(); assigned.thing(); outer();
import("./run.mjs").then((module) => module.default());
`,
    },
    run: { argv: ["node", "run.mjs"] },
    suggested: (output, project) =>
      ofFrames(
        linesOf(output).map((line) => line.replace(`file://${project}/`, "")),
        nodeTest.suggestTraces!,
      ),
    expected: [
      "constructor",
      "method",
      "fixed",
      "value",
      "#hidden",
      "callHidden",
      "field",
      "later",
      "generate",
      "parse",
      "arrow",
      "function",
      "thing",
      "inner",
      "outer",
      "default",
    ],
  },
  go: {
    language: "go",
    files: {
      "go.mod": "module example.com/run.v2\n\ngo 1.19\n",
      "run.go": `
package main

import (
	"os"
	"runtime/debug"
)

type Stack[T any] struct{ items []T }

func keep() {
	print("panic: x\\n\\n", string(debug.Stack()))
}
func (s *Stack[T]) Push(item T) { keep() }
func (s Stack[T]) Size() int    { keep(); return 0 }
func Map[T any](item T, call func(T)) { call(item) }
func add(a int) int                   { return a + 1 }
func main() {
	new(Stack[int]).Push(1)
	Stack[string]{}.Size()
	Map(1, func(int) { keep() })
	done := make(chan bool)
	go func() { keep(); done <- true }()
	<-done
	a := 0
	for i := 0; i < 5000; i++ {
		a = add(a)
	}
	os.Exit(a - 4993)
}
`,
    },
    build: ["go", "build", "-gcflags=-N -l", "-o", "run", "."],
    run: { argv: ["./run"] },
    skip: noGdb || (await isThere("go") ? false : "there is no go"),
    suggested: (output, project) => {
      const frames = output.split(/^(?=panic: x$)/m).flatMap((text) =>
        goFailure(text, project, project).stack ?? []
      );
      return ofFrames(frames, (test) => go.suggestTraces!({ ...test, suite: "main" }));
    },
    expected: ["main.keep", "main.*", "main.(*Stack).Push", "main.main", "main.Stack.Size", "main.Map"],
    most: 20,
    check(t, { code, calls, summary }) {
      t.equal(code, 7, "it ends as it does without");
      t.equal(calls.filter(({ function: name }) => name === "main.add").length, 20);
      t.match(
        summary.notes.join(),
        /main\.add was called more than .*(?:4980 later calls were only counted|not followed)/,
      );
    },
  },
};

programs.java = {
  language: "java",
  files: {
    "Parser.java": `
import java.util.*;
class Parser {
  static int count = 0;
  final List<String> seen = new ArrayList<>();
  Parser() { keep(); }
  static void keep() { new Error().printStackTrace(System.out); }
  List<String> parse(String text) {
    count++;
    seen.add(text);
    if (text.isEmpty()) throw new IllegalArgumentException("empty");
    try {
      return parse(text.substring(1));
    } catch (IllegalArgumentException error) {
      keep();
      return List.of(text);
    }
  }
  static <T> T first(T[] items) { keep(); return items[0]; }
  static int add(int a) { return a + 1; }
  class Inner { void run() { Runnable inner = () -> keep(); inner.run(); } }
  public static void main(String[] given) throws Exception {
    var parser = new Parser();
    parser.parse("ab");
    first(new Integer[] {7});
    parser.new Inner().run();
    var worker = new Thread(() -> { for (int a = 0; a < 5000; ) a = add(a); }, "worker");
    worker.start();
    worker.join();
    System.exit(count);
  }
}
`,
  },
  build: ["javac", "-g", "-d", "classes", "Parser.java"],
  run: { argv: ["java", "-cp", "classes", "Parser"] },
  skip: await isThere("javac") ? false : "there is no JDK",
  most: 20,
  variable: "seen.size",
  also: ["add", "Inner.run"],
  suggested(output) {
    const traces = output.split(/^(?=java\.lang\.Error)/m);
    const frames = traces.flatMap((text) => javaFailure(text, javaSources(["Parser.java"])).stack ?? []);
    return ofFrames(frames, maven.suggestTraces!);
  },
  expected: [
    "Parser.<init>",
    "Parser.keep",
    "Parser.parse",
    "Parser.first",
    "Parser$Inner.run",
    "Parser.main",
  ],
  check(t, { code, calls, summary }) {
    t.equal(code, 3, "it ends as it does without");
    const told = calls.filter(({ function: name }) => /parse|first|add/.test(name)).slice(0, 5);
    t.match(told, [
      {
        function: "Parser.parse",
        arguments: { this: "Parser{seen=[]}", text: '"ab"' },
        returned: '["b"]',
        depth: 1,
      },
      { arguments: { text: '"b"' }, returned: '["b"]', watched: { before: { "seen.size": "1" } }, depth: 2 },
      { raised: "java.lang.IllegalArgumentException: empty", calledAt: "Parser.java:13", depth: 3 },
      { function: "Parser.first", arguments: { items: "[7]" }, returned: "7" },
      { function: "Parser.add", arguments: { a: "0" }, returned: "1", thread: "worker", depth: 0 },
    ]);
    t.equal(calls.filter(({ function: name }) => name === "Parser.add").length, 20);
    t.match(summary.notes.join(), "Parser.add was called more than");
  },
};

for (
  const [language, { suggested, expected, also = [], check, skip = false, ...program }] of Object.entries(
    programs,
  )
) {
  t.test(`${language}: each pattern that is suggested after a failure fits a function when it is used`, {
    skip,
  }, async (t) => {
    const project = await madeProgram(program);
    const { stdout, stderr } = await runCommand(program.run.argv, { cwd: project });
    const patterns = suggested(stdout + stderr, project);
    t.same(patterns.toSorted(), expected.toSorted());
    const run = await runTraced(project, { ...program, patterns: [...patterns, ...also] });
    const { summary } = run;
    t.same(summary.patterns.filter(({ functions }) => functions === 0).map(({ pattern }) => pattern), []);
    t.equal(summary.patterns.length, patterns.length + also.length);
    check?.(t, run);
  });
}
