import t from "tap";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { answerPages, mostTokens } from "../../../src/server/answer_pages.ts";

const tokens = (text: string) => countTokens(text, { disallowedSpecial: new Set() });
const cursorOf = (page: string) => /pth_get_more\(\{ cursor: "([^"]+)" \}\)$/.exec(page)?.[1];

/** All pages of a text, put together again as they were. */
async function readOn(text: string): Promise<{ pages: string[]; whole: string }> {
  const pages = answerPages();
  const read = [await pages.first(text)];
  for (let cursor = cursorOf(read[0]!); cursor; cursor = cursorOf(read.at(-1)!)) {
    read.push(await pages.next(cursor));
  }
  const whole = read.map((page) => cursorOf(page) ? page.slice(0, page.lastIndexOf("\n")) : page);
  return { pages: read, whole: whole.join("") };
}

const letters = "abcdefghijklmnopqrstuvwxyz0123456789+/";
let state = 7;
const noise = (length: number) =>
  Array.from({ length }, () => letters[(state = (state * 48271) % 2147483647) % letters.length]).join("");

const texts: Record<string, string> = {
  "many lines": Array.from({ length: 2000 }, (_, line) => `✗ tool_${line}: expected 1, got ${line * 7}`).join(
    "\n",
  ),
  "one long word": "a".repeat(60_000),
  "noise, which takes most tokens": noise(30_000),
  "signs outside of the first plane": "😀🧪".repeat(4000),
  "a short line before a very long one": `Next:\n${noise(20_000)}\nend`,
  "special tokens of the tokenizer": `<|endoftext|> ${"<|im_start|>\n".repeat(3000)}`,
};

for (const [name, text] of Object.entries(texts)) {
  t.test(`no page has more tokens than one answer may: ${name}`, async (t) => {
    const { pages, whole } = await readOn(text);
    t.ok(pages.length > 1);
    for (const page of pages) t.ok(tokens(page) <= mostTokens, `${tokens(page)} tokens`);
    for (const page of pages.slice(0, -1)) t.ok(tokens(page) > mostTokens / 3, "nor is one wasted");
    t.equal(whole.replaceAll(/\s/g, ""), text.replaceAll(/\s/g, ""), "and nothing is lost");
    t.notMatch(whole, /[\uD800-\uDBFF](?![\uDC00-\uDFFF])/, "nor divided");
  });
}

t.test("what fits is answered as it is", async (t) => {
  const text = "Session ended.\n\nBranch x\n";
  t.equal(await answerPages().first(text), text);
});

t.test("a cursor that is not known says so, as does one that is too old", async (t) => {
  const pages = answerPages();
  await t.rejects(pages.next("more-1"), { code: "INVALID_INPUT", message: /unknown or expired cursor/ });
  const cursor = cursorOf(await pages.first(texts["many lines"]!))!;
  t.match(await pages.next(cursor), /tool_/);
  t.match(await pages.next(cursor), /tool_/, "the same page again");
  for (let more = 0; more < 10; more++) await pages.first(texts["many lines"]!);
  await t.rejects(pages.next(cursor), /unknown or expired/);
});
