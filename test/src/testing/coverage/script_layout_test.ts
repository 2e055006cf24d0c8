/** Which functions a stretch entered, where V8 and the source have different ones. Ranges are as Node 20 tells them. */
import t from "tap";
import { convertScript } from "../../../../src/testing/coverage/v8/convert_script.ts";
import { reached, type V8Function } from "../../../../src/testing/coverage/v8/script_layout.ts";

const source = `export class Shop {
  onSale = () => 1;
  static async open(goods) {
    return goods;
  }
}
var Names;
(function (Names) {
  function first() { return "a"; }
  Names.first = first;
})(Names || (Names = {}));
`;

const ran = (functionName: string, from: string, to: string, count = 1): V8Function => {
  const startOffset = source.indexOf(from);
  const endOffset = source.indexOf(to, startOffset) + to.length;
  return { functionName, ranges: [{ startOffset, endOffset, count }], isBlockCoverage: true };
};

const nothing = () => Promise.resolve(undefined);

async function entered(...stretch: V8Function[]): Promise<string[]> {
  const { layout } = (await convertScript("/shop.mjs", stretch, nothing, source))!;
  return [...reached(layout, stretch).values()].flatMap(({ functions }) => [...functions]);
}

t.test("a static method, which starts behind that word to V8, is entered", async (t) => {
  t.same(await entered(ran("open", "async open(goods)", "goods;\n  }")), ["open:3"]);
});

t.test("giving a field its function, or running what is around one, enters none", async (t) => {
  const field = ran("onSale", "() => 1", "1", 0);
  t.same(await entered(ran("<instance_members_initializer>", "onSale", "1;"), field), []);
  t.match(await entered({ ...field, ranges: [{ ...field.ranges[0]!, count: 1 }] }), [/:2$/]);
  const first = ran("first", "function first", '"a"; }', 0);
  t.notMatch(await entered(ran("", "function (Names)", "first;\n}"), first), ["first:9"]);
});

t.test("many thousand ranges and statements are put together at once", (t) => {
  const lines = 20_000;
  const functions = Array.from({ length: lines }, (_, at): V8Function => ({
    functionName: "",
    ranges: [{ startOffset: at * 5, endOffset: at * 5 + 4, count: at % 2 }],
    isBlockCoverage: true,
  }));
  const layout = {
    functions: [],
    statements: functions.map(({ ranges }, at) => ({
      offset: ranges[0]!.startOffset,
      path: "a.js",
      line: at + 1,
    })),
  };
  const started = performance.now();
  t.equal(reached(layout, functions).get("a.js")!.lines.size, lines / 2);
  t.ok(performance.now() - started < 2000);
  t.end();
});
