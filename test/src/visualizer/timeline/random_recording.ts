/** Lines of recordings as nobody would write them, the same ones for the same seed. */

export type Random = (below: number) => number;

/** Numbers that look random, from 0 to `below - 1`. */
export function randomFrom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}

export const pick = <Value>(random: Random, values: readonly Value[]): Value =>
  values[random(values.length)]!;

export const actors = ["x:0", "x:1", "x:2", "x:10", "x:11", "__proto__", "constructor", "ö", 'q"', ""];
const types = [
  "a",
  "a.b",
  "plugin.reload",
  "xstate.init",
  "xstate.after.limit.test.running",
  "xstate.done.actor.0.connection.connecting",
  "xstate.error.actor.1",
  "connection.lost",
  "call.failed",
  "Größe.Ü",
  'with "quotes"\n',
  "back\\slash",
  "constructor",
  "toString",
  "__proto__",
  "",
];
const values: readonly unknown[] = [
  "connecting",
  { open: "idle" },
  { open: "calling" },
  { open: { a: "b", ü: "ß" } },
  "closing",
  "toString",
  { constructor: "a" },
];
const machines = ["connection", "plugin", "nobody's", "constructor"];

/** A line, without its end. */
export function randomLine(random: Random, at: number): string {
  const kind = random(40);
  if (kind === 0) {
    return pick(random, ["", "no JSON", "[]", '{"at":1}', '{"at":1,"type":"event","actor":"x:0"']);
  }
  if (kind === 1) return JSON.stringify({ at, type: "news", actor: "x:0" });
  return written(
    random,
    kind < 8 ? actorLine(random, at) : kind < 25 ? eventLine(random, at) : snapshotLine(random, at),
  );
}

type Line = Record<string, unknown>;

const actorLine = (random: Random, at: number): Line => ({
  at,
  type: "actor",
  actor: pick(random, actors),
  id: pick(random, ["session", "connection-2", "0.connection.connecting", "ü", "valueOf"]),
  ...(random(3) === 0 ? {} : { parent: pick(random, actors) }),
  ...(random(2) === 0 ? { machine: pick(random, machines) } : { slot: "callServer" }),
});

const eventLine = (random: Random, at: number): Line => ({
  at,
  type: "event",
  actor: pick(random, actors),
  ...(random(3) === 0 ? {} : { source: pick(random, actors) }),
  event: random(20) === 0
    ? { abridged: `{"type":"a.cut","text":"${"-".repeat(50)}` }
    : { type: pick(random, types), ...facts(random) },
});

const facts = (random: Random): Line =>
  pick<() => Line>(random, [
    () => ({}),
    () => ({ text: `Hello ${random(100)}`, nested: { list: [1, [], {}], ü: "ÄÖÜ" } }),
    () => ({ error: { error: 'it "broke"\nhere', code: "SERVER_LOST" } }),
    () => ({ loss: { reason: "closed", exitCode: 3, stderrTail: "}]{[" } }),
    () => ({ verdict: { status: "failed", message: "no" }, testId: "t" }),
    () => ({ requestId: `r${random(5)}` }),
    () => ({ output: { abridged: '{"a":1,"b":"' } }),
    () => ({ constructor: 1, tool: null, error: null, loss: 3 }),
  ])();

const snapshotLine = (random: Random, at: number): Line => ({
  at,
  type: "snapshot",
  actor: pick(random, actors),
  ...(random(4) === 0 ? {} : { value: pick(random, values) }),
  status: random(12) === 0 ? pick(random, ["done", "error", "stopped"]) : "active",
  ...(random(2) === 0
    ? {}
    : { taken: [pick(random, ["connection.open.idle|connection.call|0", "nobody|x|9"])] }),
  ...(random(9) === 0 ? { error: 'it "broke"' } : {}),
  ...(random(3) === 0 ? { context: { at, text: '"}],{', callId: null } } : {}),
});

/** As JSON, most often as documented; else members stand in another order, or characters as their escapes, or with blanks. */
function written(random: Random, line: Line): string {
  const way = random(8);
  if (way === 0) {
    const entries = Object.entries(line);
    for (let at = entries.length - 1; at > 0; at--) {
      const other = random(at + 1);
      [entries[at], entries[other]] = [entries[other]!, entries[at]!];
    }
    return JSON.stringify(Object.fromEntries(entries));
  }
  const text = JSON.stringify(line);
  if (way === 1) return JSON.stringify(line, null, 1).replaceAll("\n", " ");
  if (way === 2) {
    return text.replaceAll(
      /[bü](?=[^"]*")/g,
      (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  }
  return text;
}

/** As the recorder leaves a line when it drops its context. */
export function thinned(text: string): string {
  let line;
  try {
    line = JSON.parse(text);
  } catch {
    // What is no JSON stays as it is.
    return text;
  }
  if (line?.type !== "snapshot" || line.context === undefined) return text;
  const { context: _dropped, ...rest } = line;
  return JSON.stringify({ ...rest, thinned: true });
}
