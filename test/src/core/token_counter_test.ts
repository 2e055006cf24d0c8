import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import t from "tap";
import { tokenCounter } from "../../../src/core/token_counter.ts";

t.test("texts have the tokens that the tokenizer counts in them", async (t) => {
  const count = await tokenCounter();
  const prose = "The quick brown fox jumps over the lazy dog; 12.50 EUR, please.\n".repeat(200);
  t.equal(count(prose), countTokens(prose));
  t.equal(count(""), 0);
});

t.test("a word without an end is counted nevertheless, and marks of the tokenizer are text", async (t) => {
  const count = await tokenCounter();
  const begun = Date.now();
  t.ok(count("a".repeat(200_000)) > 10_000);
  t.ok(count("😀".repeat(20_000)) > 10_000);
  t.ok(Date.now() - begun < 10_000, "it took 20 s in one piece");
  t.ok(count("a <|endoftext|> b") > 3);
});
