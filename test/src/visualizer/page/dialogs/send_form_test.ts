import t from "tap";
import { readEvent } from "../../../../../src/visualizer/page/dialogs/send_form.tsx";

t.test("a type and facts make an event", (t) => {
  t.same(readEvent(" pool.resize ", '{ "size": 2 }'), { event: { type: "pool.resize", size: 2 } });
  t.same(readEvent("suite.cancel", "  "), { event: { type: "suite.cancel" } });
  t.end();
});

t.test("what cannot be sent says which field is wrong", (t) => {
  const cases: [string, string, string, RegExp][] = [
    ["", "{}", "type", /Choose/],
    ["a b", "", "type", /no spaces/],
    ["xstate.stop", "", "type", /itself/],
    ["a", "{", "facts", /not JSON/],
    ["a", "[1]", "facts", /are an object/],
    ["a", "null", "facts", /are an object/],
    ["a", '{"type":"b"}', "facts", /its own field/],
  ];
  for (const [type, facts, field, wrong] of cases) t.match(readEvent(type, facts), { field, wrong });
  t.end();
});
