/** Shows tests as they end: a character for each, on lines as wide as the terminal. In a pipe it is silent. */
import type { PublishedEvent } from "../../api/harness.ts";
import type { TextOutput } from "../../platform/terminal.ts";
import { styleOf } from "../../testing/reporters/spec/terminal_style.ts";

export function followTests(output: TextOutput): { hear(fact: PublishedEvent): void; end(): void } {
  if (!output.isTerminal) return { hear: () => {}, end: () => {} };
  const { green, red, yellow, bold, dim } = styleOf(output);
  const marks = { passed: green("."), failed: red("F"), skipped: yellow("s") };
  let column = 0;
  return {
    hear(fact) {
      if (fact.type === "project_tests.chosen") {
        output.write(`${bold(fact.framework)} ${dim(`(${fact.reason})`)}\n`);
      }
      if (fact.type !== "project_test.finished") return;
      const { status } = fact.test;
      output.write(status in marks ? marks[status as keyof typeof marks] : red("F"));
      if (++column < output.columns()) return;
      output.write("\n");
      column = 0;
    },
    end() {
      if (column > 0) output.write("\n");
      column = 0;
    },
  };
}
