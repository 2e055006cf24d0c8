import t from "tap";
import {
  type JsonOptions,
  jsonRows,
  maxJsonRows,
} from "../../../../../src/visualizer/page/inspector/json_rows.ts";

const plain: JsonOptions = { turned: new Set(), whole: new Set(), search: "" };
const shape = (value: unknown, options: Partial<JsonOptions> = {}) =>
  jsonRows(value, { ...plain, ...options }).map(({ depth, key, text }) => `${depth} ${key ?? ""} ${text}`);

const value = { name: "Ann", deep: { list: [1, { secret: "[redacted]" }] }, none: null };

t.test("the outermost level is open, what is below is folded", (t) => {
  t.same(shape(value), ["0  {3}", '1 name "Ann"', "1 deep {1}", "1 none null"]);
  t.same(shape(value, { turned: new Set(['["deep"]']) })[3], "2 list [2]");
  t.same(shape(value, { turned: new Set(["[]"]) }), ["0  {3}"]);
  t.end();
});

t.test("a text of several lines is shown in lines, any other as JSON", (t) => {
  t.same(shape({ stderr: "no shelf\n    at sell\n", tab: "a\tb\n", none: "" }), [
    "0  {3}",
    "1 stderr no shelf\n    at sell",
    '1 tab "a\\tb\\n"',
    '1 none ""',
  ]);
  t.end();
});

t.test("a search opens the way to each hit and leaves out the rest", (t) => {
  t.same(shape(value, { search: "REDACTED" }), [
    "0  {3}",
    "1 deep {1}",
    "2 list [2]",
    "3 1 {1}",
    '4 secret "[redacted]"',
  ]);
  const hits = jsonRows(value, { ...plain, search: "secret" }).filter(({ hit }) => hit);
  t.same(hits.map(({ key }) => key), ["secret"]);
  t.same(shape(value, { search: "absent" }), []);
  t.end();
});

t.test("of a very long list only the first entries are rows, until all are asked for", (t) => {
  const long = Array.from({ length: 250 }, (_, index) => index);
  const rows = shape(long);
  t.equal(rows.length, 102);
  t.equal(rows.at(-1), "1  150 more");
  t.equal(shape(long, { whole: new Set(["[]"]) }).length, 251);
  t.end();
});

t.test("there is an end to the rows, also where all entries are asked for", (t) => {
  const whole = new Set(["[]"]);
  t.equal(shape(new Array(maxJsonRows + 500).fill(0), { whole }).length, maxJsonRows);
  t.end();
});

t.test("what is no object is one row", (t) => {
  t.same(shape("text"), ['0  "text"']);
  t.same(shape([]), ["0  [0]"]);
  t.same(shape(undefined), ["0  null"]);
  t.end();
});
