import t from "tap";
import { CodeLine } from "../../../src/session/code_line.ts";

t.test("results are of what was loaded when they ran, and old by the fixes since", (t) => {
  const code = new CodeLine();
  t.equal(code.running("base"), "base");
  t.equal(code.stale([{ commit: "base" }], undefined), undefined);
  code.noteRead();
  code.noteLoaded();
  code.add("one");
  t.ok(code.isBehind);
  t.equal(code.running("base"), "base", "the server knows nothing of it");
  t.match(code.stale([{ commit: "base" }], undefined), { results: 1, stale: 1, commit: "base", behind: 1 });
  code.noteRead();
  t.notOk(code.isBehind);
  t.equal(code.running("base"), "base", "a load that failed leaves the old server");
  code.noteLoaded();
  t.equal(code.running("base"), "one");
  code.add("two");
  const mixed = code.stale([{ commit: "one" }, { commit: "base" }, {}, { commit: "two" }], undefined);
  t.match(mixed, { results: 4, stale: 3, behind: 2 });
  t.match(code.stale([{ commit: "two" }], "Cannot build"), {
    stale: 0,
    behind: 0,
    loadError: "Cannot build",
  });
  t.end();
});

t.test("a fix that is made while the files are read counts as missed", (t) => {
  const code = new CodeLine();
  code.noteRead();
  code.add("meanwhile");
  code.noteLoaded();
  t.equal(code.running("base"), "base");
  t.ok(code.isBehind);
  t.end();
});

t.test("a resumed branch brings its fixes", (t) => {
  const code = new CodeLine();
  code.begin(["one", "two"]);
  t.match(code.stale([{ commit: "one" }], undefined), { behind: 1 });
  t.match(code.stale([{}], undefined), { behind: 2 }, "what is not known may be as old as the branch");
  code.noteRead();
  code.noteLoaded();
  t.equal(code.running("base"), "two");
  t.end();
});
