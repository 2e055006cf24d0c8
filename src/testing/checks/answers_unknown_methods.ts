/** A method that the server does not know gets an error: clients of newer revisions try methods, and wait (JSON-RPC 2.0). */
import { asPthError } from "../../core/errors.ts";
import { oneLine, textExcerpt } from "../../core/text.ts";
import { isObject } from "../../core/values.ts";
import type { CallOutcome } from "../../../machines/model/plugin.ts";
import type { Finding } from "../../../machines/model/verdict.ts";
import { checkFailed, checkPassed, defineCheck } from "../check.ts";
import { methodNotFound } from "../server_lists.ts";

const unknownMethod = "pth/no_such_method";
const advice = `answer a method that the server does not have with error ${methodNotFound}`;

export default defineCheck({
  name: "answers_unknown_methods",
  summary: "answers a method that it does not have with an error",
  category: "protocol-error",
  onlyAsks: true,
  async run({ ask, tools }) {
    let outcome: CallOutcome;
    try {
      outcome = await ask(unknownMethod);
    } catch (error) {
      if (asPthError(error).code !== "SERVER_SILENT") throw error;
      return checkFailed(
        "timeout",
        `server never answered the unknown method ${unknownMethod}\n  clients that ask wait in vain: ${advice}`,
      );
    }
    // A server that ends after its answer has failed as well.
    await tools();
    const { kind, code, text, raw, violations: [violation] } = outcome;
    if (kind === "result") {
      return checkFailed(
        this.category,
        `server answered the unknown method ${unknownMethod} with a result: ${
          textExcerpt(raw, 200)
        }\n  ${advice}`,
        raw,
      );
    }
    if (isObject(raw) && typeof raw.httpStatus === "number") {
      return checkPassed(undefined, [otherCode(`HTTP ${raw.httpStatus} and no JSON-RPC answer`)]);
    }
    if (violation !== undefined) {
      return checkFailed(
        this.category,
        `the answer to the unknown method ${unknownMethod} is malformed: ${violation.message}`,
        raw,
      );
    }
    if (code === methodNotFound) return checkPassed();
    return checkPassed(undefined, [otherCode(`error ${code}: ${oneLine(text, 120)}`)]);
  },
});

/** SDKs differ in this (Python's answers -32602), and clients take any error for a refusal. */
const otherCode = (answer: string): Finding => ({
  severity: "info",
  code: "unknown-method-code",
  message: `an unknown method is answered with ${answer}; JSON-RPC has ${methodNotFound} for it`,
});
