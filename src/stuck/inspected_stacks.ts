import type { HangInspection, HungThread } from "../../machines/model/stuck.ts";

/** Stacks of an inspection, one line for each thread and each of its frames, innermost first; "" where there are none. */
export const inspectedStacks = ({ threads }: HangInspection): string =>
  threads.flatMap((thread) => thread.frames === undefined ? [] : stackText(thread)).join("\n");

const stackText = ({ waits, frames = [] }: HungThread): string[] => [
  waits,
  ...frames.map(({ function: name, file, line }) =>
    `  ${name}${file === undefined ? "" : ` (${file}:${line})`}`
  ),
];
