/** Places that a program's output names: stack traces, panics, compilers' complaints. */

export interface TraceFrame {
  /** As the output names it: absolute, relative, or a `file:` URL. */
  path: string;
  line: number;
  column?: number;
  /** Function, method or module. */
  name?: string;
}

/** How one language writes where something happened: the frames of a text in the order in which they blame, the innermost first. */
export type TraceStyle = (text: string) => TraceFrame[];

/** Frame of a match with the groups `path`, `line` and maybe `column`, `name`. */
export function frameOf({ groups = {} }: RegExpMatchArray): TraceFrame {
  const { path, line, column, name } = groups;
  return {
    path: path!,
    line: Number(line),
    ...(column === undefined ? {} : { column: Number(column) }),
    ...(name === undefined || name === "" ? {} : { name }),
  };
}

/** All matches of a global pattern with named groups. */
export const matchingSymptoms = (pattern: RegExp) => (text: string): TraceFrame[] =>
  [...text.matchAll(pattern)].map(frameOf);
