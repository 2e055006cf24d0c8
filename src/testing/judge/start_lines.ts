/**
 * Lines on stdout that starts of a server write. One that a start writes later than usual, when a tool is called already, is
 * told from the tool's by the other starts: this one wrote it less often before.
 */

/** Most lines that are remembered. */
const mostLines = 500;

export class StartLines {
  /** The largest number of times that one start wrote a line. */
  readonly #most = new Map<string, number>();

  /** @param lines all that one server has written before its first call */
  note(lines: readonly string[]): void {
    for (const [line, times] of countLines(lines)) {
      const known = this.#most.get(line);
      if (known === undefined && this.#most.size >= mostLines) continue;
      this.#most.set(line, Math.max(times, known ?? 0));
    }
  }

  /**
   * Whether each of the lines that came with the first call of a server is one that its start still owed.
   * @param started lines that this server had written before that call
   */
  areLate(lines: readonly string[], started: readonly string[]): boolean[] {
    const seen = countLines(started);
    return lines.map((line) => {
      const key = withoutNumbers(line);
      const times = (seen.get(key) ?? 0) + 1;
      seen.set(key, times);
      return times <= (this.#most.get(key) ?? 0);
    });
  }
}

function countLines(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(withoutNumbers(line), (counts.get(withoutNumbers(line)) ?? 0) + 1);
  return counts;
}

/** Times, ports and ids of processes differ. */
const withoutNumbers = (line: string): string => line.replace(/\d+/g, "0");
