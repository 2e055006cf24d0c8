// test: timeout=180
/** An agent at work on a test that is stuck: it reads where the threads wait, gives the locks one order, and sees the test pass. */
import { join } from "node:path";
import t from "tap";
import { writeTextFile } from "../../../src/platform/files.ts";
import { pthCommandLine } from "../../support/bundled_pth.ts";
import { onlyServer, openClaudeCode, withoutClaude } from "./claude_code.ts";
import { startModelServer } from "./model_server.ts";
import type { Seen } from "./seen.ts";

const bank = `
import threading
import time

first, second = threading.Lock(), threading.Lock()

def deposit():
    with first:
        time.sleep(0.1)
        with second:
            return "deposited"

def withdraw():
    with second:
        time.sleep(0.1)
        with first:
            return "withdrawn"
`;
const ordered = `def withdraw():
    with first:
        time.sleep(0.1)
        with second:
            return "withdrawn"
`;
const tests = `
import threading
import unittest
import bank

class BankTest(unittest.TestCase):
    def test_both_at_once(self):
        threads = [threading.Thread(target=work) for work in (bank.deposit, bank.withdraw)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
`;

t.test(
  "a deadlock is read from the stacks, fixed, and the test passes",
  { skip: withoutClaude },
  async (t) => {
    const claude = await openClaudeCode(t);
    const file = join(claude.project, "bank.py");
    await writeTextFile(file, bank);
    await writeTextFile(join(claude.project, "test_bank.py"), tests);
    const debugTest = { tool: "mcp__pth__debug_test", input: { projectRoot: claude.project } };
    const answers: unknown[] = [];
    /** What debug_test answered, as the model reads it. */
    const read = ({ last }: Seen) =>
      answers[answers.push(JSON.parse(last.text)) - 1] as {
        stuck: { diagnosis: string; threads: { stack: string[] }[] }[];
      };
    const model = await startModelServer(t, {
      turns: [
        { calls: [debugTest] },
        (seen) => {
          const { threads } = read(seen).stuck[0]!;
          const waits = threads.map(({ stack }) => stack[0]!);
          const at = waits.find((frame) => /^withdraw \(bank\.py:\d+\)$/.test(frame));
          if (at === undefined) throw new Error(`no thread waits in withdraw: ${waits.join("; ")}`);
          return { text: `It waits in ${at}.`, calls: [{ tool: "Read", input: { file_path: file } }] };
        },
        {
          calls: [{
            tool: "Edit",
            input: {
              file_path: file,
              old_string: bank.slice(bank.indexOf("def withdraw")),
              new_string: ordered,
            },
          }],
        },
        { calls: [debugTest] },
        (seen) => {
          read(seen);
          return { text: "Both take the first lock first now." };
        },
      ],
    });
    const [command, ...args] = pthCommandLine("main", "--tools", "test") as [string, ...string[]];
    const server = await onlyServer(claude, "pth", { command, args });
    const { code, stderr } = await claude.converse({ prompt: "The bank's test hangs.", model, args: server });
    t.equal(code, 0, stderr);
    t.strictSame(model.faults, []);
    t.match(answers, [
      {
        summary: { passed: 0, stuck: 1 },
        stuck: [{ name: /test_both_at_once/, diagnosis: /^Deadlock: /, threads: { length: 3 } }],
      },
      { framework: "unittest", summary: { passed: 1, failed: 0 }, failures: [] },
    ]);
    t.strictSame(await claude.leftProcesses(), []);
  },
);
