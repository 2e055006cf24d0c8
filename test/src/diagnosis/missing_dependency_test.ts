import t from "tap";
import { findMissing } from "../../../src/diagnosis/missing_dependency.ts";

t.test("what is missing is named, in words that are not cut in the middle of a quotation", (t) => {
  t.same(findMissing("ModuleNotFoundError: No module named 'slugify'\n"), {
    kind: "module",
    name: "slugify",
    words: "No module named 'slugify'",
  });
  t.match(findMissing("/usr/bin/python3: No module named pip\n"), { name: "pip", words: /named pip$/ });
  t.equal(findMissing("all is well"), undefined);
  t.end();
});
