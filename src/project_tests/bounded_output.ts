/** Output whose middle is left out where it is long. */

export interface BoundedOutput {
  push(text: string): void;
  text(): string;
  /** Characters that are kept. */
  readonly size: number;
}

/** Keeps so many characters of the beginning and as many of the end. */
export function boundedOutput(half: number): BoundedOutput {
  let head = "";
  let tail = "";
  let left = 0;
  return {
    push(text) {
      const room = half - head.length;
      if (room > 0) head += text.slice(0, room);
      if (text.length <= room) return;
      tail += text.slice(Math.max(room, 0));
      // Cut now and then, not with each piece: a cut copies.
      if (tail.length <= half * 2) return;
      left += tail.length - half;
      tail = tail.slice(-half);
    },
    text() {
      const cut = tail.slice(-half);
      const missing = left + tail.length - cut.length;
      return missing === 0 ? head + cut : `${head}\n… ${missing} characters left out …\n${cut}`;
    },
    get size() {
      return head.length + tail.length;
    },
  };
}
