import t from "tap";
import { patternSource } from "../../../src/test_traces/pattern_source.ts";

t.test("a pattern fits a qualified name, or its end from a separator on", (t) => {
  const fits = (pattern: string, name: string) => new RegExp(patternSource(pattern)).test(name);
  for (
    const [pattern, name] of [
      ["parse", "parse"],
      ["parse", "app.Parser.parse"],
      ["parser::parse", "crate::parser::parse"],
      ["parser.parse", "crate::parser::parse"],
      ["parser::*", "crate::parser::tests::it_works"],
      ["Parser.pars?", "app.Parser.parse"],
      ["operator+", "Vector::operator+"],
    ] as const
  ) t.ok(fits(pattern, name), `${pattern} fits ${name}`);
  for (
    const [pattern, name] of [
      ["arse", "app.parse"],
      ["parse", "app.parse.inner"],
      ["a.c", "abc"],
      ["parser::parse", "other_parser::parse"],
    ] as const
  ) t.notOk(fits(pattern, name), `${pattern} does not fit ${name}`);
  t.end();
});
