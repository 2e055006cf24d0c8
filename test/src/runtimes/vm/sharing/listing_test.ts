import t from "tap";
import {
  difference,
  foldersAbove,
  listCommand,
  listed,
  parseListing,
  replaced,
} from "../../../../../src/runtimes/vm/sharing/listing.ts";

type Told = [path: string, kind: string, size?: number, changed?: string];

/** As `find` tells it: each field ends with a NUL. */
const told = (...entries: Told[]) =>
  parseListing(
    entries.flatMap(([path, kind, size = 1, changed = "1"]) => [path, kind, "644", size, "5.0", changed, ""])
      .map((field) => `${field}\0`).join(""),
  );

t.test("what leads out of the folder is not believed", (t) => {
  const listing = told(["../up", "f"], ["/etc/passwd", "f"], ["a/../../b", "f"], ["", "d"], [
    "fine/..x",
    "f",
  ]);
  t.same([...listing.keys()], ["fine/..x"]);
  t.end();
});

t.test("changes, what is gone, and what changed its kind are told apart", (t) => {
  const before = told(["a", "d"], ["a/x", "f"], ["b", "f"], ["c", "f"], ["d", "f"]);
  const after = told(["b", "f", 2], ["c", "d"], ["c/y", "f"], ["d", "f"]);
  const changes = difference(before, after, "what");
  t.same(
    changes,
    { changed: ["b", "c", "c/y"], removed: ["a"] },
    "what a gone folder held is not named again",
  );
  t.same(replaced(changes, before, after), ["c"]);
  t.end();
});

t.test("a file touched without another size or time counts on its own machine only", (t) => {
  const [before, after] = [told(["a", "f", 1, "1"]), told(["a", "f", 1, "2"])];
  t.same(difference(before, after, "state").changed, ["a"]);
  t.same(difference(before, after, "what").changed, []);
  t.end();
});

t.test("folders above a path", (t) => {
  t.same(foldersAbove("a/b/c"), ["a/b", "a"]);
  t.end();
});

t.test("names that find would read as patterns are taken literally", (t) => {
  t.ok(listCommand(["od[d]*/target"]).includes("./od\\[d\\]\\*/target"));
  t.end();
});

t.test("a listing that breaks off is none: what it does not name would be removed", (t) => {
  const whole = { code: 0, signal: null, stdout: "", stderr: "", truncated: false };
  t.equal(listed(whole, "here").size, 0);
  t.equal(
    listed({
      ...whole,
      code: 1,
      stdout: ["a", "f", "644", "1", "5.0", "1", "", ""].join("\0"),
      stderr: "gone",
    }, "here").size,
    1,
  );
  const refused = [
    { ...whole, code: null, signal: "SIGKILL", stdout: "a" },
    { ...whole, code: 137, stdout: "a" },
    { ...whole, code: 1, stderr: "no such folder" },
    { ...whole, truncated: true },
  ];
  for (const broken of refused) {
    t.throws(() => listed(broken, "here"), { code: "COPY_FAILED", message: /^Cannot list here: / });
  }
  t.end();
});
