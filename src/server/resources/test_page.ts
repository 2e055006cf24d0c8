/** A test with its latest result, as a page. */
import type { Session } from "../../api/harness.ts";
import { fencedText } from "../../export/markdown_table.ts";
import { serializeTests } from "../../testing/format/serialize_tests.ts";
import { resultText } from "../../tools/text/results_text.ts";

type Asked = Pick<Session, "tests">;

/** Undefined where there is no test of this id or name. */
export function testPage(session: Asked, wanted: string): string | undefined {
  const tests = session.tests.list();
  const test = tests.find(({ id }) => id === wanted) ?? tests.find(({ name }) => name === wanted);
  if (test === undefined) return undefined;
  const { results: [result] } = session.tests.results({ ids: [test.id] });
  return [
    `# ${test.id}`,
    fencedText(serializeTests([test]).trimEnd()),
    "## Latest result",
    result === undefined ? "It has not run." : fencedText(resultText(result)),
  ].join("\n\n");
}
