import t from "tap";
import { runCheckOn } from "./faulty_check.ts";

const name = "lists_page";

t.test("lists that come to their end pass, and their pages are counted", async (t) => {
  const paged = await runCheckOn(t, name, "all_capabilities");
  t.match(paged, { status: "passed", note: "resources/list: 3 pages", findings: [] });
  t.match(await runCheckOn(t, name, "none"), { status: "passed", note: /no list has more than one page/ });
});

const failures = [
  ["repeated_item", /resources\/list: page 2 repeats "?note:\/\/1/],
  ["endless_pages", /resources\/list: the pages never end: cursor "?page-2"? came again/],
  ["refused_cursor", /resources\/list: the cursor of page 1 was refused: Invalid cursor/],
] as const;
for (const [fault, message] of failures) {
  t.test(`${fault} fails`, async (t) => {
    t.match(await runCheckOn(t, name, fault), { status: "failed", category: "protocol-error", message });
  });
}

t.test("an invalid cursor that is answered, and a cursor of null, are findings", async (t) => {
  const any = await runCheckOn(t, name, "any_cursor");
  t.match(any, { status: "passed", findings: [{ severity: "warning", code: "cursor-not-checked" }] });
  const last = await runCheckOn(t, name, "null_cursor");
  t.match(last, { status: "passed", findings: [{ severity: "warning", code: "null-cursor" }] });
});

t.test("a list that cannot be had skips with the reason", async (t) => {
  t.match(await runCheckOn(t, name, "refused_lists"), { status: "skipped", note: /no list: the database/ });
  const silent = await runCheckOn(t, name, "silent_lists", { limitMs: 300 });
  t.match(silent, { status: "skipped", note: /page 1 did not come in time/ });
});
