import { textWords } from "../../../core/text.ts";
import { hasWord } from "../named_places.ts";
import { defineRepair, type RefusedCall } from "../repair.ts";

const sign =
  /\bfirst\b|\bbefore\b|\bnot (?:been )?(?:yet )?(?:started|initiali[sz]ed|opened|open|loaded|connected|configured|selected|set|running|active|ready|logged in|created)\b|\bno (?:active |current |open |running )?\w+(?: \w+)? (?:is |has been |was )?(?:active|open|running|selected|loaded|found|started|set|initiali[sz]ed|available|exists?|in progress|connected)|\bno (?:active|current|open|running)\b|\buse the \w+ tool\b|\bcall \w+|\brun \w+|\bmust (?:start|open|create|select|connect|initiali[sz]e|load|set)\b/i;

/** Words of refusals that say nothing of a tool. */
const plain = new Set(
  "the a an to is it no not be this that use using call run first before please you must".split(" "),
);

const mostTools = 3;

export default defineRepair({
  name: "call_first",
  summary: "`use start_timer first`: a tool that the refusal speaks of is called before",
  rank: 3,
  repair(call) {
    return toolsNamed(call).slice(0, mostTools).map((name) => ({
      ...call.attempt,
      first: [...call.attempt.first.filter((each) => each !== name), name],
    }));
  },
});

/** Tools that are named as they are written, else those whose words the refusal has. */
function toolsNamed({ words, tool, tools }: RefusedCall): string[] {
  const others = tools.map(({ name }) => name).filter((name) => name !== tool.name);
  const written = others.filter((name) => textWords(name).length > 1 && hasWord(words, name));
  if (written.length > 0) return written;
  if (!sign.test(words)) return [];
  const said = new Set(textWords(words).filter((word) => !plain.has(word)).flatMap(stems));
  const scored = others.map((name) => {
    const parts = textWords(name);
    const hits = parts.filter((part) => stems(part).some((stem) => said.has(stem))).length;
    return { name, hits, share: hits / Math.max(1, parts.length), starts: starting.test(parts[0] ?? "") };
  });
  return scored.filter(({ hits, starts, share }) => hits > 0 && (share > 0.5 || starts))
    .sort((a, b) => Number(b.starts) - Number(a.starts) || b.share - a.share || b.hits - a.hits)
    .map(({ name }) => name);
}

const starting =
  /^(?:start|begin|open|init|initialize|initialise|create|new|connect|select|set|use|load|login|add|make|setup|configure|switch|register|enable|activate)$/;

/** A word in the forms that make it the same: started, starting, starts. */
const stems = (
  word: string,
): string[] => [word, word.replace(/(?:ing|ed|es|s)$/, ""), word.replace(/d$/, "")];
