/** Failures of Rust's test programs, as they print them: the panic that decided, its place and its frames. */
import type { ProjectTestOutcome } from "../../../machines/model/project_test.ts";

type Failure = Pick<ProjectTestOutcome, "message" | "place" | "stack">;

interface Panic {
  thread: string;
  file: string;
  line: number;
  column: number;
  message: string;
  stack: string[];
}

const panicked = /^thread '(.*?)' (?:\(\d+\) )?panicked at (?:'(.*)', )?(.+?):(\d+):(\d+):?$/;
const afterMessage =
  /^(?:stack backtrace:|note: (?:run with|Some details)|thread '.*' (?:\(\d+\) )?panicked at )/;
const mostPanics = 20;
const mostFrames = 50;

/** Panics in the order in which they were printed; of very many, the last ones. */
function panicsIn(text: string): Panic[] {
  const lines = text.split("\n");
  const panics: Panic[] = [];
  for (let at = 0; at < lines.length; at++) {
    const found = panicked.exec(lines[at]!);
    if (found === null) continue;
    const [, thread, quotedMessage, file, line, column] = found;
    const message = quotedMessage === undefined ? [] : [quotedMessage];
    if (quotedMessage === undefined) {
      while (at + 1 < lines.length && !afterMessage.test(lines[at + 1]!)) message.push(lines[++at]!);
    }
    const stack = lines[at + 1] === "stack backtrace:" ? framesFrom(lines, at + 2) : [];
    panics.push({
      thread: thread!,
      file: file!,
      line: Number(line),
      column: Number(column),
      message: message.join("\n").trimEnd(),
      stack,
    });
    if (panics.length > mostPanics) panics.shift();
  }
  return panics;
}

/** Frames of the project and of its dependencies; those of the standard library say nothing about a failure. */
function framesFrom(lines: string[], from: number): string[] {
  const frames: string[] = [];
  for (let at = from; at < lines.length && frames.length < mostFrames; at++) {
    const name = /^ +\d+: (?:0x[\da-f]+ - )?(.+)$/.exec(lines[at]!)?.[1];
    if (name === undefined) break;
    const place = /^ +at (.+)$/.exec(lines[at + 1] ?? "")?.[1]?.replace(/^\.\//, "");
    if (place !== undefined) at++;
    const isOfRust = place?.startsWith("/rustc/") ||
      /^<?(?:__rust|std|core|alloc|test)(?:::|c?\b)/.test(name);
    if (!isOfRust) frames.push(place === undefined ? name : `${name} (${place})`);
  }
  return frames;
}

/** Reads the output of a failed test, and what the harness says besides (`message` of libtest's JSON). */
export function rustFailure(name: string, output: string, told: string | undefined): Failure {
  const panics = panicsIn(output);
  const own = panics.findLast(({ thread }) => thread === name || thread === "main") ?? panics.at(-1);
  if (own === undefined) {
    const error = /^Error: [\s\S]*/m.exec(output)?.[0].trimEnd();
    const message = told ?? error ?? firstLines(output);
    const place = /\bat ([^\s:]+\.rs):(\d+):(\d+)/.exec(told ?? "");
    return {
      ...message === undefined ? {} : { message },
      ...place === null
        ? {}
        : { place: { file: place[1]!, line: Number(place[2]), column: Number(place[3]) } },
    };
  }
  const before = panics.findLast((panic) => panic !== own && panics.indexOf(panic) < panics.indexOf(own));
  const joined = /\bAny \{ \.\. \}/.test(own.message) && before !== undefined
    ? `\nafter thread '${before.thread}' panicked at ${before.file}:${before.line}:${before.column}:\n${before.message}`
    : "";
  return {
    message: `${own.message}${joined}${told === undefined ? "" : `\n${told}`}`,
    place: { file: own.file, line: own.line, column: own.column },
    ...own.stack.length === 0 ? {} : { stack: own.stack },
  };
}

function firstLines(output: string): string | undefined {
  const text = output.trim();
  return text === "" ? undefined : text.split("\n").slice(0, 20).join("\n");
}
