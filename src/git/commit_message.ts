/** Messages of PTH's commits: prose for people, trailers for machines. */

interface CommitFacts {
  /** `fix`, `revert`, `docs`, `tests`, `state-checkpoint`, `report`. */
  type: string;
  /** First line without "fix: ". */
  title: string;
  body?: string | undefined;
  tests?: readonly string[];
  category?: string | undefined;
  /** Relative to the plugin's folder. */
  files?: readonly string[];
  iteration?: number | undefined;
  distro?: string | undefined;
  /** Commit that this one reverts. */
  reverts?: string | undefined;
}

/** The whole message; `readCommitMessage` gets the same facts back from it. */
export function writeCommitMessage(facts: CommitFacts): string {
  const trailers: [string, readonly (string | number | undefined)[]][] = [
    ["PTH-Test", facts.tests ?? []],
    ["PTH-Category", [facts.category]],
    ["PTH-Files", facts.files ?? []],
    ["PTH-Iteration", [facts.iteration]],
    ["PTH-Distro", [facts.distro]],
    ["PTH-Reverts", [facts.reverts]],
    ["PTH-Type", [facts.type]],
  ];
  const lines = trailers.flatMap(([key, values]) =>
    values.filter((value) => value !== undefined).map((value) => `${key}: ${encode(String(value))}`)
  );
  const title = `${prefixes[facts.type] ?? facts.type}: ${oneLine(facts.title)}`;
  const parts = [title, tidyBody(facts.body), lines.join("\n")].filter((part) => part !== "");
  // Half a character cannot be written.
  return parts.join("\n\n").replaceAll(/\p{Surrogate}/gu, "\ufffd") + "\n";
}

/** First word of the commit's title where it is not the type itself. */
const prefixes: Record<string, string> = { "state-checkpoint": "chore", "uncommitted": "chore" };

/** Reads the facts of a commit message. A message without PTH's trailers has the type `other`. */
export function readCommitMessage(
  message: string,
): CommitFacts & { body: string; tests: string[]; files: string[] } {
  const [subject = "", ...paragraphs] = message.trim().split(/\n{2,}/);
  const last = paragraphs.at(-1) ?? "";
  const ours = /^PTH-[A-Za-z]+:/m.test(last);
  const values = (key: string): string[] =>
    ours ? last.split("\n").flatMap((line) => valueOf(line, key)).map(decode) : [];
  const only = (key: string) => values(key)[0];
  const iteration = Number(only("PTH-Iteration") ?? NaN);
  const body = (ours ? paragraphs.slice(0, -1) : paragraphs).join("\n\n");
  const type = only("PTH-Type") ?? (ours ? "fix" : "other");
  const told = ours ? undefined : /^This reverts commit ([0-9a-f]{40,64})/m.exec(message)?.[1];
  const reverts = only("PTH-Reverts") ?? told;
  return {
    type,
    title: oneLine(subject).replace(/^(fix|revert|docs|tests|report|chore): /, ""),
    body,
    tests: values("PTH-Test"),
    files: values("PTH-Files"),
    category: only("PTH-Category"),
    iteration: Number.isInteger(iteration) ? iteration : undefined,
    distro: only("PTH-Distro"),
    reverts,
  };
}

const valueOf = (line: string, key: string): string[] =>
  line.startsWith(`${key}:`) ? [line.slice(key.length + 1).trim()] : [];

/** A value that one line cannot hold as it is becomes a JSON string. */
function encode(value: string): string {
  const plain = value !== "" && value === value.trim() && !value.startsWith('"') &&
    // deno-lint-ignore no-control-regex
    !/[\x00-\x1f\x7f-\x9f\u2028\u2029]/.test(value);
  return plain ? value : JSON.stringify(value);
}

function decode(value: string): string {
  if (!/^".*"$/s.test(value)) return value;
  try {
    const decoded: unknown = JSON.parse(value);
    return typeof decoded === "string" ? decoded : value;
  } catch (error) {
    if (error instanceof SyntaxError) return value;
    throw error;
  }
}

// deno-lint-ignore no-control-regex
const control = /[\x00-\x08\x0b-\x1f\x7f-\x9f]+/g;

const oneLine = (text: string): string => text.replaceAll(control, " ").replaceAll(/\s+/g, " ").trim();

/** Without what git takes for the end of the message, or a terminal for a command. */
const tidyBody = (body = ""): string => body.replaceAll(/\r\n?/g, "\n").replaceAll(control, "").trim();
