/** Suggests where to look when a test is flaky: at what differs between runs, not at the logic. */
import type { Diagnosis } from "../../machines/model/diagnosis.ts";

/** Causes of differences between runs, and patterns of them in source. */
const sources: { what: string; pattern: RegExp }[] = [
  {
    what: "chance",
    pattern: /\bMath\.random\b|\brandom(?:UUID|Bytes|Int)?\s*\(|\brandom\.\w+\(|\brand::|\buuid/,
  },
  {
    what: "the clock",
    pattern:
      /\bDate\.now\b|\bnew Date\(\)|performance\.now|\btime\.(?:time|monotonic|Now)\b|\bdatetime\.now\b|Instant::now/,
  },
  {
    what: "a timer",
    pattern:
      /\bset(?:Timeout|Interval|Immediate)\b|\b(?:asyncio|time)\.sleep\b|\btime\.(?:Sleep|After)\b|tokio::time/,
  },
  {
    what: "the network",
    pattern:
      /\bfetch\(|\bhttps?\.(?:get|request)\b|\baxios\b|\brequests\.\w+\(|\burllib\b|net\.(?:connect|Dial)|reqwest/,
  },
  {
    what: "work side by side",
    pattern:
      /\bPromise\.(?:race|any|all)\b|\bnew Worker\b|\bthreading\b|\basyncio\.gather\b|\bgo func\b|\bthread::spawn\b/,
  },
  {
    what: "another process or service",
    pattern:
      /\bspawn\(|\bexec(?:File)?(?:Sync)?\(|\bsubprocess\b|exec\.Command|\bcreateConnection\(|\bconnect\(/,
  },
  {
    what: "files that stay between calls",
    pattern: /\b(?:readFile|writeFile|appendFile)(?:Sync)?\b|\bopen\(|os\.(?:ReadFile|WriteFile)|std::fs/,
  },
];

const placesTold = 3;

/** Sentences, the general one first; the others name lines of the excerpts. */
export function flakyHints(
  ran: { failures: number; attempts: number },
  excerpts: Diagnosis["excerpts"],
): string[] {
  const lines = excerpts.flatMap(({ path, from, text }) =>
    text.split("\n").map((line, at) => ({ line, place: `${path}:${from + at}` }))
  );
  const found = sources.flatMap(({ what, pattern }) => {
    const places = [...new Set(lines.filter(({ line }) => pattern.test(line)).map(({ place }) => place))];
    return places.length === 0 ? [] : [`It depends on ${what}: ${places.slice(0, placesTold).join(", ")}.`];
  });
  return [
    `It failed ${ran.failures} of ${ran.attempts} runs of the same source: look at timing, races, state that stays between ` +
    "calls and what lies outside, rather than at the logic.",
    ...found,
  ];
}
