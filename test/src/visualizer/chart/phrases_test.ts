import t from "tap";
import { guardPhrase, wrapWords } from "../../../../src/visualizer/chart/phrases.ts";
import { fullTextOf, shortLabelOf } from "../../../../src/visualizer/chart/rows.ts";

t.test("an inline guard is its expression: without brackets around all of it, with those within", (t) => {
  interface Facts {
    context: { size: number; isOpen: boolean };
  }
  t.equal(
    guardPhrase(({ context }: Facts) =>
      (context.size > 1 || context.isOpen) && (context.isOpen || context.size > 0)
    ),
    "(size > 1 || isOpen) && (isOpen || size > 0)",
  );
  t.equal(
    guardPhrase(new Function("return ({ context }) => (context.size > 1 || context.isOpen)")()),
    "size > 1 || isOpen",
  );
  const minified = '({context:c,event:e})=>c.pending[e.id]?.part!==void 0&&"skip"in e.answer&&e.partial===!0';
  t.equal(
    guardPhrase(new Function(`return ${minified}`)()),
    'c.pending[e.id]?.part !== undefined && "skip" in e.answer && e.partial === true',
    "as it was written, also in a bundle",
  );
  t.end();
});

t.test("a long text breaks between words, and is cut only where its rows do not suffice", (t) => {
  t.strictSame(wrapWords("isReady", 10, 3), ["isReady"]);
  t.strictSame(wrapWords("isReady and isIdle", 12, 3), ["isReady and", "isIdle"]);
  t.strictSame(wrapWords("isReady and isIdle and isOpen", 12, 2), ["isReady and", "isIdle and…"]);
  t.strictSame(wrapWords("environmentReady", 8, 2), ["environ…"]);
  t.end();
});

t.test("a guard beside a line goes on in rows below, and its title has all of it", (t) => {
  const guard = "environmentReady and suiteIdle and notIterating and pluginReady and not isOpen";
  t.equal(shortLabelOf({ label: "go", guard: "isIdle" }), "go [isIdle]");
  t.equal(
    shortLabelOf({ label: "session.verify", guard: "environmentReady and suiteIdle" }),
    "session.verify\n[environmentReady and\nsuiteIdle]",
  );
  t.match(shortLabelOf({ label: "session.verify", guard }), /^session\.verify\n\[.*\n.*\n.*…\]$/);
  const transition = { label: "session.verify", guard, actions: ["begin"], targets: ["session.open"] };
  t.equal(
    fullTextOf({ id: "", kind: "event", source: "", event: "", reenter: false, ...transition }),
    `session.verify [${guard}] / begin → session.open`,
  );
  t.end();
});
