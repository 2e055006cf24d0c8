import t from "tap";
import { z } from "zod";
import { parseCoercing } from "../../../src/server/validate.ts";

const schema = z.strictObject({
  text: z.string().optional(),
  number: z.number().optional(),
  flag: z.boolean().optional(),
  list: z.array(z.number()).optional(),
  map: z.record(z.string(), z.unknown()).optional(),
  tier: z.literal([1, 2, 3]).optional(),
  workers: z.union([z.int(), z.literal("auto")]).optional(),
  nullable: z.null().optional(),
  nested: z.strictObject({ flag: z.boolean() }).optional(),
});

const accepted: [string, unknown, unknown][] = [
  ["a string stays a string, whatever it looks like", { text: "12" }, { text: "12" }],
  ["a number", { number: "12.5" }, { number: 12.5 }],
  ["a boolean", { flag: "false" }, { flag: false }],
  ["an array", { list: "[1,2]" }, { list: [1, 2] }],
  ["an array whose members are wrapped too", { list: '["1","2"]' }, { list: [1, 2] }],
  ["an object", { map: '{"a":"1"}' }, { map: { a: "1" } }],
  ["one of several numbers", { tier: "2" }, { tier: 2 }],
  ["a number where a word is allowed too", { workers: "4" }, { workers: 4 }],
  ["the word where a number is allowed too", { workers: "auto" }, { workers: "auto" }],
  ["a member of an object", { nested: { flag: "true" } }, { nested: { flag: true } }],
  ["a wrapped object with wrapped members", { nested: '{"flag":"true"}' }, { nested: { flag: true } }],
  ["null for what is not given", { text: null, number: 1 }, { number: 1 }],
  ["null where null is meant", { nullable: null }, { nullable: null }],
];

for (const [name, given, expected] of accepted) {
  t.test(name, (t) => {
    const before = structuredClone(given);
    const parsed = parseCoercing(schema, given);
    t.equal(parsed.success, true);
    t.strictSame(parsed.data, expected);
    t.strictSame(given, before, "the caller's object is untouched");
    t.end();
  });
}

const refused: [string, unknown, string][] = [
  ["a word for a number", { number: "many" }, "number"],
  ["a wrapped string for a number", { number: '"12"' }, "number"],
  ["a wrapped number for a boolean", { flag: "1" }, "flag"],
  ["a wrapped object for an array", { list: "{}" }, "list"],
  ["half an array", { list: "[1," }, "list"],
  ["a member that does not fit", { list: '["x"]' }, "list.0"],
  ["another word for a number or word", { workers: "some" }, "workers"],
  ["null for what is required", { nested: { flag: null } }, "nested.flag"],
];

for (const [name, given, path] of refused) {
  t.test(`refuses ${name}`, (t) => {
    const parsed = parseCoercing(schema, given);
    t.equal(parsed.success, false);
    t.strictSame(parsed.error?.issues.map((issue) => issue.path.join(".")), [path]);
    t.end();
  });
}
