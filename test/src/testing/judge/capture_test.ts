import t from "tap";
import type { CallOutcome } from "../../../../machines/model/plugin.ts";
import { captureFrom } from "../../../../src/testing/judge/capture.ts";
import { pathProblem } from "../../../../src/testing/match/values_at.ts";
import { answered } from "../observed.ts";

const outcome = (more: Partial<CallOutcome>): CallOutcome => answered("", more);

t.test("output is the structured content, else the text as JSON, else the text", (t) => {
  const capture = { value: "$.output" };
  const structured = outcome({ text: '{"a":1}', structuredContent: { b: 2 } });
  t.same(captureFrom(structured, capture).values, { value: { b: 2 } });
  t.same(captureFrom(outcome({ text: '{"a":1}' }), capture).values, { value: { a: 1 } });
  t.same(captureFrom(outcome({ text: "[1" }), capture).values, { value: "[1" });
  t.same(captureFrom(outcome({ text: "42" }), capture).values, { value: 42 });
  t.end();
});

t.test("text, content, structured content and isError can be captured, with their types", (t) => {
  const answer = outcome({
    text: "hello",
    content: [{ type: "text", text: "hello" }, { type: "image", data: "AA==" }],
    structuredContent: { ids: [7, 8], none: null },
    isError: true,
  });
  const { values, problems } = captureFrom(answer, {
    text: "$.text",
    second: "$.content[1].type",
    id: "$.structuredContent.ids[0]",
    ids: "$.output.ids[*]",
    list: "$.output.ids",
    none: "$.output.none",
    failed: "$.isError",
  });
  t.same(problems, []);
  t.same(values, {
    text: "hello",
    second: "image",
    id: 7,
    ids: [7, 8],
    list: [7, 8],
    none: null,
    failed: true,
  });
  t.end();
});

t.test("a path that finds nothing names itself and what was there, the others are captured", (t) => {
  const { values, problems } = captureFrom(outcome({ text: '{"uid":1000}' }), {
    gid: "$.output.gid",
    uid: "$.output.uid",
  });
  t.same(values, { uid: 1000 });
  t.same(problems, ['gid: nothing at $.output.gid\n  output (text read as JSON): {"uid":1000}']);
  const [plain] = captureFrom(outcome({ text: "created" }), { gid: "$.output.gid" }).problems;
  t.equal(plain, 'gid: nothing at $.output.gid\n  output is text: "created"');
  t.end();
});

t.test("filters with match and search choose among elements", (t) => {
  const text = JSON.stringify([{ id: 1, name: "ann" }, { id: 2, name: "bea" }, { id: 3, name: "x\nbea" }]);
  const take = (path: string) => captureFrom(outcome({ text }), { v: path }).values.v;
  t.equal(take("$.output[?@.name == 'bea'].id"), 2);
  t.equal(take("$.output[?match(@.name, 'b.a')].id"), 2);
  t.same(take("$.output[?search(@.name, 'e[.]?a')].id"), [2, 3]);
  t.equal(take("$.output[?match(@.name, 'x.bea')].id"), undefined, "a dot is no line feed");
  t.equal(take("$.output[?match(@.name, '(')].id"), undefined, "what is no pattern matches nothing");
  t.end();
});

t.test("a pattern in a path that runs away ends, as does an answer without end in depth", (t) => {
  const text = JSON.stringify([`${"a".repeat(60)}!`]);
  const before = performance.now();
  const { problems } = captureFrom(outcome({ text }), { v: "$.output[?match(@, '(a+)+')]" });
  t.match(problems[0], /^v: .*runs away on a text of 61 characters/);
  t.ok(performance.now() - before < 30_000);
  const deep = `${"[".repeat(3000)}${"]".repeat(3000)}`;
  t.match(captureFrom(outcome({ text: deep }), { v: "$..x" }).problems[0], /^v: \$\.\.x: /);
  t.end();
});

t.test("a path with a mistake says where", (t) => {
  t.equal(pathProblem("$.output.users[0]['name'].x"), undefined);
  t.equal(pathProblem("output.id"), "it begins with $, as in $.output.id");
  t.equal(pathProblem("$.output["), "unclosed bracketed selection (character 10)");
  t.match(pathProblem("$.output.."), /bald descendant segment \(character \d+\)/);
  t.match(pathProblem("$[?nope(@)]"), "no such function 'nope'");
  t.end();
});
