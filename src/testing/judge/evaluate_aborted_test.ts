/** Verdicts on tests that came to no answer: failed setup, a lost server, an elapsed limit. */
import type { ConnectionLoss } from "../../../machines/model/plugin.ts";
import { isOpenEnded } from "./assertion_table.ts";
import { indentedTail, textWords } from "../../core/text.ts";
import {
  failingVerdict,
  type JudgedObservation,
  skippingVerdict,
  subjectLabel,
  type TestIdentity,
} from "./failing_verdict.ts";
import type { FailureCategory, Verdict } from "../../../machines/model/verdict.ts";

/** The verdict on a test that was cut short, or undefined when its call was answered. */
export function evaluateAbortedTest(test: TestIdentity, observation: JudgedObservation): Verdict | undefined {
  const { setupFailure, loss, timedOut, callError } = observation;
  if (setupFailure !== undefined) return failedSetup(setupFailure);
  // The control's input is that of a valid test, which reports the same on its own.
  const inControl = test.control !== undefined && observation.control === undefined && isOpenEnded(test);
  if (loss !== undefined) {
    if (inControl) {
      return skippingVerdict("inconclusive: the server ended during the control call with a valid input");
    }
    return failingVerdict(
      test,
      loss.reason === "protocol" ? "protocol-error" : "runtime-exception",
      `${subjectLabel(test)} ${lossText(loss)}`,
    );
  }
  if (timedOut !== undefined) {
    if (inControl) {
      return skippingVerdict("inconclusive: the control call with a valid input got no answer in time");
    }
    return judgeSilence(test, timedOut);
  }
  if (callError !== undefined) {
    const category = errorCategories[callError.code] ?? "runtime-exception";
    return failingVerdict(
      test,
      category,
      `${subjectLabel(test)} gave no proper answer: ${callError.message}`,
    );
  }
  return undefined;
}

/** Kinds of failure by the codes of errors other than a lost server; the rest is a server that could not be had. */
const errorCategories: Record<string, FailureCategory> = {
  PROTOCOL_VIOLATION: "protocol-error",
  SERVER_SILENT: "timeout",
  ENVIRONMENT_LOST: "dependency-error",
  EXEC_FAILED: "dependency-error",
};

const failedSetup = (reason: string): Verdict => ({
  status: "failed",
  category: "dependency-error",
  message: `setup failed, the tool was not called: ${reason}`,
  findings: [],
});

/** Describes how the server ended, with the last lines that it wrote. */
function lossText(loss: ConnectionLoss): string {
  const stderr = indentedTail(loss.stderrTail);
  const last = stderr === "" ? "" : `\n  stderr:\n${stderr}`;
  return `ended the server: it ${describeFailure(loss)} before it answered${last}`;
}

export function describeFailure({ signal, exitCode }: ConnectionLoss): string {
  if (signal !== null) return `was ended by ${signal}`;
  return exitCode === null ? "closed the connection" : `exited with ${exitCode}`;
}

/** Words of names of tools that answer when something happens, which may be never. */
const waiting = /^(?:poll|wait|await|watch|listen|monitor|subscribe|follow|sleep)$/;

/**
 * No answer in time. A generated test knows no right duration: where the server shows progress it may just be slow.
 * Neither an answer nor a sign of life within the limit is a fault.
 */
function judgeSilence(test: TestIdentity, silence: NonNullable<JudgedObservation["timedOut"]>): Verdict {
  const seconds = `${Math.round(silence.afterMs / 100) / 10} s`;
  const progress = silence.progress ?? 0;
  if (isOpenEnded(test) && silence.answersPing && progress > 0) {
    return skippingVerdict(
      `no answer within ${seconds}, but ${progress} notifications about the call: raise timeout_seconds`,
    );
  }
  const waits = textWords(test.tool ?? "").find((word) => waiting.test(word));
  if (isOpenEnded(test) && silence.answersPing && waits !== undefined) {
    return skippingVerdict(
      `no answer within ${seconds}, of a tool whose name says that it waits (${waits}): raise timeout_seconds`,
    );
  }
  const ping = silence.answersPing
    ? "the server still answers ping"
    : "the server no longer answers ping either: it hangs";
  const hint = progress > 0 ? `${progress} notifications about it came` : "and no notification about it came";
  const { inspection } = silence;
  const seen = inspection === undefined ? "" : `\n  ${inspection.says}`;
  const verdict = failingVerdict(
    test,
    "timeout",
    `${subjectLabel(test)} gave no answer within ${seconds}; ${ping}, ${hint}${seen}`,
  );
  return inspection === undefined ? verdict : { ...verdict, hang: inspection };
}
