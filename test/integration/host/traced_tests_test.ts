import { chmod } from "node:fs/promises";
import { dirname, join } from "node:path";
import t from "tap";
import type { ProjectTest } from "../../../machines/model/project_test.ts";
import type { ProjectTestAnswer } from "../../../machines/model/project_test_run.ts";
import {
  makeTempDir,
  mkdir,
  readTextFile,
  removeIfExists,
  writeTextFile,
} from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { queryTestTrace } from "../../../src/test_traces/query_test_trace.ts";
import { pth } from "../../support/pth.ts";

const isThere = async (program: string) =>
  (await runCommand(["sh", "-c", 'command -v "$1"', "sh", program])).code === 0;

async function project(files: Record<string, string>): Promise<string> {
  const root = await makeTempDir();
  t.teardown(() => removeIfExists(root));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeTextFile(join(root, name), text);
  }
  return root;
}

async function answerOf(root: string, ...patterns: string[]): Promise<ProjectTestAnswer> {
  const traced = patterns.flatMap((pattern) => ["--trace", pattern]);
  return JSON.parse((await pth(["test", root, "--json", ...traced])).stdout) as ProjectTestAnswer;
}

t.test("a failed test of Node is run again with its calls, and patterns that fit nothing say what is like them", async (t) => {
  const root = await project({
    "package.json": JSON.stringify({ type: "module", scripts: { test: "node --test" } }),
    "src/parser.js": "export const parse = (text) => text === '' ? null : { kind: text };\n",
    "src/parser.test.js":
      'import test from "node:test"; import assert from "node:assert"; import { parse } from "./parser.js";\n' +
      'test("empty", () => assert.ok(parse("")));\n',
  });
  const { code, stdout } = await pth(["test", root, "--trace", "parser.parse", "--trace", "prase"]);
  t.equal(code, 1);
  t.match(stdout, /0 passed, 1 failed/);
  t.match(stdout, /1 calls? traced\. prase fits no function/);
  t.match(stdout, /src\.parser\.parse\(text=""\) → null/);
});

t.test("a test of Rust is traced in the program that Cargo starts", {
  skip: await isThere("cargo") && await isThere("gdb") ? false : "there is no cargo or no gdb",
}, async (t) => {
  const root = await project({
    "Cargo.toml": '[package]\nname = "numbers"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": `
pub fn double(number: u32) -> u32 { number * 2 }
#[cfg(test)] mod tests { #[test] fn doubles() { assert_eq!(super::double(21), 43); } }
`,
  });
  const { code, stdout } = await pth(["test", root, "--level", "unit", "--trace", "numbers::double"]);
  t.equal(code, 1);
  t.match(stdout, /0 passed, 1 failed/);
  t.match(stdout, /numbers::double\(number=21\) → 42/);
});

t.test(
  "programs that CTest starts are traced, with the properties of their tests, and belong to their build",
  {
    skip: await isThere("ctest") && await isThere("gdb") && await isThere("cc")
      ? false
      : "a program is missing",
  },
  async (t) => {
    const root = await project({
      "CMakeLists.txt": `
cmake_minimum_required(VERSION 3.20)
project(sums C)
enable_testing()
add_executable(sums src/sums.c)
add_test(NAME adds COMMAND sums 20 "a;b $HOME \\"q\\"")
set_tests_properties(adds PROPERTIES ENVIRONMENT "FIRST=1\\;2;SECOND=x y" PASS_REGULAR_EXPRESSION "21 a;never")
add_test(NAME empty COMMAND sums)
set_tests_properties(empty PROPERTIES WILL_FAIL ON)
add_test(NAME script COMMAND \${CMAKE_SOURCE_DIR}/src/script.sh)
`,
      "src/sums.c": `
#include <stdio.h>
#include <stdlib.h>
int add(int a, int b) { return a + b; }
int main(int count, char **given) {
  if (count < 3) return 4;
  printf("%d %s %s|%s\\n", add(atoi(given[1]), 1), given[2], getenv("FIRST"), getenv("SECOND"));
  return 0;
}
`,
      "src/script.sh": "#!/bin/sh\nexit 3\n",
    });
    await chmod(join(root, "src/script.sh"), 0o755);
    const { stdout } = await pth(["test", root, "--json", "--trace", "add"]);
    const answer = JSON.parse(stdout) as ProjectTestAnswer;
    t.match(answer, {
      framework: "ctest",
      summary: { passed: 2, failed: 1 },
      failures: [{ name: "script" }],
    });
    t.match(answer.hint, /1 calls? traced.*script\.sh is no native program/);
    const details = JSON.parse(await readTextFile(answer.details!)) as { tests: ProjectTest[] };
    t.match(details.tests, [{ name: "adds", suite: "build", output: '21 a;b $HOME "q" 1;2|x y\n' }]);
    t.match((await queryTestTrace({ sessionId: answer.sessionId! })).calls, [
      { function: "add", arguments: { a: "20", b: "1" }, returned: "21", calledAt: "src/sums.c:7" },
    ]);
  },
);

t.test("a test of Go is traced: methods, generics, goroutines, stacks that move, and panics", {
  skip: await isThere("go") && await isThere("gdb") ? false : "there is no go or no gdb",
}, async (t) => {
  const root = await project({
    "go.mod": "module example.com/shop\n\ngo 1.19\n",
    "cart/cart.go": `
package cart

import "errors"

type Item struct {
	Name  string
	Price int
}
type Cart struct{ Items []Item }

func Add(a, b int) int { return a + b }

func (c *Cart) Total(text string) (total int, err error) {
	if len(c.Items) == 0 {
		return 0, errors.New("empty")
	}
	for _, item := range c.Items {
		total = Add(total, item.Price)
	}
	return total, nil
}

func Last[T any](items []T) T { return items[len(items)-1] }

func Deep(n int) int {
	var pad [2000]byte
	if n == 0 {
		return len(pad)
	}
	return Deep(n-1) + int(pad[n])
}

func Safe() (result string) {
	defer func() { result = recover().(string) }()
	boom()
	return ""
}

func boom() { panic("boom") }
`,
    "cart/cart_test.go": `
package cart

import "testing"

func TestTotal(t *testing.T) {
	done := make(chan int)
	go func() { done <- Add(1, 2) }()
	<-done
	(&Cart{}).Total("a")
	got, _ := (&Cart{[]Item{{"pen", 2}, {Last([]string{"ink"}), 5}}}).Total("b")
	Deep(3)
	Safe()
	if got != 8 {
		t.Errorf("Total() = %d", got)
	}
}
`,
  });
  const answer = await answerOf(root, "Cart.Total", "cart.Add", "Last", "Deep", "Safe", "boom", "cart.Ad");
  t.match(answer, {
    summary: { passed: 0, failed: 1 },
    hint: /cart\.Ad fits no function \(like it: .*cart\.Add/,
  });
  const { calls } = await queryTestTrace({ sessionId: answer.sessionId! });
  t.match(
    calls.map(({ function: name, arguments: given, returned, raised }) => [name, given, returned ?? raised]),
    [
      ["example.com/shop/cart.Add", { a: "1", b: "2" }, "3"],
      [/\(\*Cart\)\.Total$/, { c: "&{Items: []}", text: '"a"' }, '(0, *errors.errorString(&{s: "empty"}))'],
      [/cart\.Last$/, { items: '["ink"]' }, '"ink"'],
      [/Total$/, { c: /Name: "ink", Price: 5/ }, "(7, nil)"],
      [/Add$/, { a: "0", b: "2" }, "2"],
      [/Add$/, {}, "7"],
      ...[3, 2, 1, 0].map((n) => [/Deep$/, { n: String(n) }, "2000"]),
      [/Safe$/, {}, '"boom"'],
      [/boom$/, {}, 'panic: string("boom")'],
    ],
  );
  t.match(calls[0], { thread: /^goroutine \d+$/, calledAt: "cart/cart_test.go:8" });
  t.equal(calls[4]!.parent, calls[3]!.seq);
  t.not(calls[0]!.thread, calls[1]!.thread);
});

t.test("a language whose calls cannot be traced is one clear error", async (t) => {
  const root = await project({});
  const { code, stderr } = await pth(["test", root, "--command", "true", "--trace", "f"]);
  t.equal(code, 2);
  t.match(stderr, /calls of unknown are not traced/);
});
