import t from "tap";
import { uniqueFindings } from "../../../../src/testing/report/unique_findings.ts";

const finding = (code: string, tool: string | undefined, message: string) => ({ code, tool, message });

t.test("a finding is there once, a misleading answer once for each tool with its first example", (t) => {
  const kept = uniqueFindings([
    finding("schema-not-enforced", "a", "accepts 1"),
    finding("schema-not-enforced", "a", "accepts 1"),
    finding("schema-not-enforced", "a", "accepts 2"),
    finding("error-told-as-success", "a", "first"),
    finding("error-told-as-success", "a", "second"),
    finding("value-missing-in-answer", "a", "third"),
    finding("error-told-as-success", "b", "fourth"),
    finding("tests-left-out", undefined, "x"),
  ]);
  t.same(kept.map(({ message }) => message), ["accepts 1", "accepts 2", "first", "third", "fourth", "x"]);
  t.end();
});
