import type { Exchange } from "../../client/capture.ts";

/** A command of the test's `verify` list, as it went. */
export interface CommandEvidence {
  exec: string;
  expect: Record<string, unknown>;
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface TestEvidence {
  /** JSON-RPC messages of the test's call, oldest first. */
  exchange: Exchange[];
  /** Output of the server on stderr since the previous test. */
  stderr: string;
  /** Lines on stdout that were no protocol. */
  strayOutput: string[];
  commands: CommandEvidence[];
  /** Parts that were too long to keep, one sentence each. */
  cut?: string[];
}

const maxMessageCharacters = 32 * 1024;
const maxExchanges = 40;
const maxStderr = 16 * 1024;
const maxStrayLines = 20;
const maxStrayLine = 2000;
const maxOutput = 4 * 1024;
const maxTotal = 16 * 1024 * 1024;

export class FailureEvidence {
  readonly #kept = new Map<string, { evidence: TestEvidence; size: number }>();
  #size = 0;

  /** Beyond the budget a failure keeps its stderr's end only. */
  keep(testId: string, evidence: TestEvidence): void {
    this.forget([testId]);
    let cut = cutEvidence(evidence);
    let size = JSON.stringify(cut).length;
    if (this.#size + size > maxTotal) {
      cut = {
        exchange: [],
        stderr: cut.stderr.slice(-500),
        strayOutput: [],
        commands: [],
        cut: [
          "Too many failures were kept already: of this one only the end of stderr is. Run it again alone.",
        ],
      };
      size = cut.stderr.length;
    }
    this.#kept.set(testId, { evidence: cut, size });
    this.#size += size;
  }

  of(testId: string): TestEvidence | undefined {
    return this.#kept.get(testId)?.evidence;
  }

  forget(testIds: Iterable<string>): void {
    for (const id of testIds) {
      this.#size -= this.#kept.get(id)?.size ?? 0;
      this.#kept.delete(id);
    }
  }
}

function cutEvidence({ exchange, stderr, strayOutput, commands }: TestEvidence): TestEvidence {
  const cut: string[] = [];
  const note = (kept: number, all: number, what: string, end: string) => {
    if (all > kept) cut.push(`Of ${all} ${what} the ${end} ${kept} are kept.`);
  };
  note(maxExchanges, exchange.length, "messages", "last");
  note(maxStderr, stderr.length, "characters of stderr", "last");
  note(maxStrayLines, strayOutput.length, "lines on stdout", "first");
  for (const { exec, stdout, stderr } of commands) {
    note(maxOutput, Math.max(stdout.length, stderr.length), `characters of "${exec.slice(0, 80)}"`, "first");
  }
  return {
    exchange: exchange.slice(-maxExchanges).map((each) => ({ ...each, message: cutMessage(each.message) })),
    stderr: stderr.slice(-maxStderr),
    strayOutput: strayOutput.slice(0, maxStrayLines).map((line) => line.slice(0, maxStrayLine)),
    commands: commands.map((each) => ({
      ...each,
      stdout: each.stdout.slice(0, maxOutput),
      stderr: each.stderr.slice(0, maxOutput),
    })),
    ...(cut.length === 0 ? {} : { cut }),
  };
}

/** A message too large keeps its envelope and the beginning of its text. */
function cutMessage(message: unknown): unknown {
  const text = JSON.stringify(message) ?? "null";
  if (text.length <= maxMessageCharacters) return message;
  const { id, method } = message as { id?: unknown; method?: unknown };
  return {
    ...(id === undefined ? {} : { id }),
    ...(method === undefined ? {} : { method }),
    cutToCharacters: maxMessageCharacters,
    ofCharacters: text.length,
    beginning: text.slice(0, maxMessageCharacters),
  };
}

/** Messages since the latest call of the tool, with the control call before it where there was one. */
export function exchangeOf(
  exchanges: readonly Exchange[],
  tool: string | undefined,
  hasControl: boolean,
): Exchange[] {
  let wanted = hasControl ? 2 : 1;
  for (let at = exchanges.length - 1; at >= 0; at--) {
    if (isCallOf(exchanges[at]!, tool) && --wanted === 0) return exchanges.slice(at);
  }
  // Without a call (a check of the server as a whole) all of it is the test's own.
  return tool === undefined ? [...exchanges] : [];
}

function isCallOf({ direction, message }: Exchange, tool: string | undefined): boolean {
  const { method, params } = message as { method?: unknown; params?: { name?: unknown } };
  return tool !== undefined && direction === "sent" && method === "tools/call" &&
    (params === undefined || params.name === tool);
}

/** Text that a bounded log gained since it was last read. */
export function newText(before: string, now: string): string {
  if (now.startsWith(before)) return now.slice(before.length);
  // The log is a window onto the end of a longer text: what was last seen now lies somewhere within.
  const mark = before.slice(-200);
  const at = mark === "" ? -1 : now.lastIndexOf(mark);
  return at < 0 ? now : now.slice(at + mark.length);
}
