/** Reads a test program that reports to a file, or in lines, and also prints what its tests print. */
import type { EventReader } from "../framework.ts";
import { createLineCutter } from "./line_cutter.ts";
import { createTestLedger, type LedgerOptions, type TestLedger } from "./test_ledger.ts";

export interface ProgramReaderOptions extends LedgerOptions {
  /** Makes what reads the events file; absent: nothing does. */
  events?: (ledger: TestLedger) => { push(text: string): void };
  /** Makes what reads lines of stdout; absent: they are output. */
  lines?: (ledger: TestLedger) => (line: string) => void;
  /** Takes note of lines of stderr, which are output besides. */
  errors?: (ledger: TestLedger) => (line: string) => void;
}

export function createProgramReader(
  { events, lines, errors, ...options }: ProgramReaderOptions,
): EventReader {
  const ledger = createTestLedger(options);
  const report = events?.(ledger);
  const readLine = lines?.(ledger) ?? ((line: string) => ledger.output(`${line}\n`));
  const readError = errors?.(ledger);
  const stdout = createLineCutter();
  const stderr = createLineCutter();
  let lastWords = "";

  const takeError = (line: string): void => {
    readError?.(line);
    if (line.trim() !== "") lastWords = line.trim().slice(0, 300);
    ledger.output(`${line}\n`);
  };

  return {
    push(stream, text) {
      if (stream === "events") report?.push(text);
      else if (stream === "stdout") { for (const line of stdout.push(text)) readLine(line); }
      else for (const line of stderr.push(text)) takeError(line);
      return ledger.take();
    },
    end({ code, signal }) {
      for (const line of stdout.end()) readLine(line);
      for (const line of stderr.end()) takeError(line);
      const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
      ledger.end(
        `the program ended ${how} before its tests did${
          lastWords === "" ? "" : `; its last words: ${lastWords}`
        }`,
      );
      return ledger.take();
    },
  };
}
