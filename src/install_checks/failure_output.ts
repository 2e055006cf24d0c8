/** Output of what did not start, cut to what tells why. */
import { visibleText } from "../core/text.ts";

const mostLines = 8;
const longest = 400;

/** The line of an output that tells an error by its name. */
export const errorLine = (output: string): string | undefined =>
  output.split("\n").find((line) =>
    /^\s*(?:\w*Error\b.*:|.*: (?:not found|Permission denied|No such file))/.test(line)
  );

/**
 * Last lines without stack frames and empty ones.
 * @param folder inside; paths in it are told from there
 */
export const failureOutput = (output: string, folder: string): string =>
  visibleText(shortened(output, folder)).split("\n").filter((line) =>
    line.trim() !== "" && !/^\s+at |^\s+File "<frozen/.test(line)
  )
    .slice(-mostLines).map((line) => line.length > longest ? `${line.slice(0, longest)}…` : line).join("\n");

/** Takes the folder off the paths of a text. */
export const shortened = (text: string, folder: string): string =>
  text.replaceAll(`file://${folder}/`, "").replaceAll(`${folder}/`, "");
