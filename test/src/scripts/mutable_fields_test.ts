import t from "tap";
import mutableFields from "../../../scripts/checks/mutable_fields.ts";
import { fromTexts } from "../../../scripts/checks/tree.ts";

const problemsOf = (texts: Record<string, string>) =>
  mutableFields.run(fromTexts("/checkout/here", Object.keys(texts), (path) => Promise.resolve(texts[path]!)));
const names = (count: number) => Array.from({ length: count }, (_, index) => `field${index}`);
const lines = (count: number, line: (name: string) => string) => names(count).map(line).join("\n");

t.test("a class with many fields that change is told; methods and fixed values do not count", async (t) => {
  const few = `class Few {
  readonly fixed: string = "a";
  readonly list: readonly string[] = frozen;
  go = (to: string): void => {};
${lines(12, (name) => `  ${name} = 0;`)}
  get all() {
    let field12 = 1;
    return field12;
  }
}
`;
  t.same(await problemsOf({ "src/a/few.ts": few }), []);
  const many = few.replace("readonly fixed: string", "fixed: string");
  t.match(await problemsOf({ "src/a/many.ts": many }), [
    /^src\/a\/many\.ts:1: Few has 13 fields that change \(fixed, field0/,
  ]);
  const collections = few.replace("readonly string[] = frozen", "Map<string, number>");
  t.match(await problemsOf({ "src/a/many.ts": collections }), [/13 fields that change \(list, /]);
});

t.test("of an interface those fields count that are assigned", async (t) => {
  const options = `export interface Options {\n${lines(20, (name) => `  ${name}?: string;`)}\n}\n`;
  t.same(await problemsOf({ "src/a/options.ts": options }), []);
  const writer = `import type { Options } from "./options.ts";\n${
    lines(13, (name) => `options.${name} = "";`)
  }\n`;
  t.match(await problemsOf({ "src/a/options.ts": options, "src/a/writer.ts": writer }), [
    /options\.ts:1: Options has 13 fields/,
  ]);
});

const machine = (input: string, more = "") =>
  `interface Input {
  ${input}: string;
}
interface AContext extends Input {
${lines(12, (name) => `  ${name}: number;`)}
}
const aSetup = setup({
  types: { context: {} as AContext },
  actions: { count: assign({ field0: ({ context }) => ({ given: context.field0 }) })${more} },
});
`;

t.test("a machine's context counts with what it inherits, but for what is readonly", async (t) => {
  t.same(await problemsOf({ "machines/a_machine.ts": machine("readonly given") }), []);
  t.match(await problemsOf({ "machines/a_machine.ts": machine("given") }), [/AContext has 13 fields/]);
});

t.test("what is readonly in a context is assigned in none of its machine's files", async (t) => {
  const assigns = ', note: assign({ field1: 1, given: "" })';
  const problem = [/the machine assigns AContext\.given, which is declared readonly/];
  t.match(await problemsOf({ "machines/a_machine.ts": machine("readonly given", assigns) }), problem);
  t.match(
    await problemsOf({
      "machines/a_machine.ts": machine("readonly given"),
      "machines/a/part.ts": 'const part = aSetup.createStateConfig({ entry: assign({ given: "" }) });\n',
    }),
    problem,
  );
});
