/** Lines of a log in TeamCity's format, turned into lines as reporters write them. */

/** Parses `##teamcity[name key='value' …]`; undefined for any other line. */
function messageIn(line: string): { name: string; values: Record<string, string> } | undefined {
  const found = /^##teamcity\[(\w+)((?: \w+='(?:\|.|[^|'])*')*)\s*\]\s*$/s.exec(line);
  if (found === null) return undefined;
  const pairs = found[2]!.matchAll(/ (\w+)='((?:\|.|[^|'])*)'/gs);
  return {
    name: found[1]!,
    values: Object.fromEntries([...pairs].map(([, key, value]) => [key, unescaped(value!)])),
  };
}

const unescaped = (text: string): string =>
  text.replaceAll(
    /\|(0x[\da-fA-F]{4}|.)/gs,
    (_all, code: string) =>
      code === "n" ? "\n" : code === "r" ? "\r" : code.length > 1 ? String.fromCharCode(Number(code)) : code,
  );

/**
 * Makes a translator: it takes a line of the log and answers lines for `reportedEvents`. The run has ended once its
 * outermost suite has.
 */
export function teamcityLines(): (line: string) => Record<string, unknown>[] {
  let depth = 0;
  let next = 0;
  let open: { id: number; test: unknown; outcome?: Record<string, unknown> } | undefined;
  return (line) => {
    const message = messageIn(line);
    if (message === undefined) {
      return line === ""
        ? []
        : [{ type: "output", ...(open === undefined ? {} : { id: open.id }), text: `${line}\n` }];
    }
    const { name, values } = message;
    if (name === "testCount") return [{ type: "planned", tests: Number(values.count) }];
    if (name === "testSuiteStarted") depth++;
    if (name === "testSuiteFinished" && --depth === 0) return [{ type: "end" }];
    if (name === "testStarted") {
      const [, file, qualified] = /^php_qn:\/\/(.*?)::\\?(.*)$/s.exec(values.locationHint ?? "") ?? [];
      const test = { name: qualified ?? values.name, ...(file === undefined ? {} : { suite: file }) };
      open = { id: next++, test };
      return [{ type: "started", id: open.id, test }];
    }
    if (open === undefined) return [];
    if (name === "testFailed") open.outcome = failureOf(values);
    if (name === "testIgnored") open.outcome = { status: "skipped", message: values.message };
    if (name !== "testFinished") return [];
    const { id, test, outcome = { status: "passed" } } = open;
    open = undefined;
    return [{ type: "finished", id, test, outcome: { durationMs: Number(values.duration), ...outcome } }];
  };
}

/** A risky test is reported like a failed one, but without details, and fails no run. */
function failureOf({ message = "", details = "" }: Record<string, string>): Record<string, unknown> {
  const stack = details.split("\n").map((text) => text.trim()).filter((text) => text !== "");
  return stack.length === 0
    ? { status: "skipped", message: `risky: ${message.split("\n")[0]}` }
    : { status: "failed", message, stack };
}
