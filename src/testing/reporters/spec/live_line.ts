/** Shows current activity on the last line of a terminal; writes nothing to a pipe or file. */
import type { ReporterOutput } from "../../reporter.ts";
import { columnWidth, cutToColumns } from "../../../core/columns.ts";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 80;

export interface LiveLine {
  /** Sets the text of the line, made again for each frame; undefined removes the line, or leaves it out of one frame. */
  show(text: (() => string | undefined) | undefined): void;
  /** Writes whole lines above it. */
  print(lines: string): void;
}

/** A live line where the output is a terminal, else only its printed lines. */
export function createLiveLine(output: ReporterOutput): LiveLine {
  if (!output.isTerminal) return { show: () => {}, print: (lines) => output.write(lines) };
  let text: (() => string | undefined) | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  let frame = 0;
  /** Columns that the line drawn last takes; a terminal made narrower since then has broken it over rows. */
  let drawn = 0;

  const erase = () => {
    const rowsAbove = Math.max(0, Math.ceil(drawn / output.columns()) - 1);
    // Only where it must: erasing down from the first row sends the screen to some terminals' scrollback.
    const erased = drawn === 0 ? "" : rowsAbove > 0 ? `\r\x1b[${rowsAbove}A\x1b[J` : "\r\x1b[K";
    drawn = 0;
    return erased;
  };
  const draw = () => {
    const now = text?.();
    if (now === undefined) return "";
    const line = cutToColumns(`${frames[frame++ % frames.length]} ${now}`, output.columns() - 1);
    drawn = columnWidth(line);
    return line;
  };
  return {
    show(next) {
      text = next;
      if (next === undefined) {
        clearInterval(timer);
        timer = undefined;
        output.write(erase());
      } else {
        timer ??= setInterval(() => output.write(erase() + draw()), frameMs);
        output.write(erase() + draw());
      }
    },
    print: (lines) => output.write(erase() + lines + draw()),
  };
}
