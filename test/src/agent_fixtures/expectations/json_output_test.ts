/** `json_output` on scripted sessions. */
import t from "tap";
import { judge, sessionOf } from "../session_of.ts";

const said = (text: string) => sessionOf([{ type: "end", text, hooks: [] }]);
const schema = { type: "object", properties: { cabinet: { type: "string" } }, required: ["cabinet"] };

t.test("JSON alone, and as a block of code", (t) => {
  t.match(judge("json_output", { schema }, said('{ "cabinet": "north" }')), { pass: true, at: 0 });
  t.match(
    judge(
      "json_output",
      { values: { "$.cabinet": "north" } },
      said('So:\n```json\n{"cabinet":"north"}\n```'),
    ),
    {
      pass: true,
      actual: { cabinet: "north" },
    },
  );
  t.end();
});

t.test("what is no JSON, does not fit the schema or differs is told", (t) => {
  t.match(judge("json_output", {}, said("north")), { pass: false, reason: /no JSON: "north"/ });
  t.match(judge("json_output", { schema }, said('{ "cabinet": 3 }')), {
    pass: false,
    reason: /the output does not fit the schema: \/cabinet/,
  });
  t.match(
    judge("json_output", { values: { "$.cabinet": "south", "$.x": 1 } }, said('{ "cabinet": "north" }')),
    {
      pass: false,
      reason: /differs at \$\.cabinet.*; the output has nothing at \$\.x/s,
    },
  );
  t.match(judge("json_output", {}, sessionOf([])), { pass: false, reason: /said nothing/ });
  t.end();
});
