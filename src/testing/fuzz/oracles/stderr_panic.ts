/**
 * A panic or an uncaught exception on stderr of a server that lives on. Honest servers log the stack of an input that they
 * refuse, too: a look is worth it, a failure it is not.
 */
import { indentedTail } from "../../../core/text.ts";
import { defineOracle } from "../oracle.ts";
import { traceSignature } from "../common_text.ts";

const signs =
  /^panic: |^fatal error: |thread '[^']*' (?:\(\d+\) )?panicked at|Unhandled(?:PromiseRejection| promise rejection)|Uncaught (?:Exception|\w*Error)|Traceback \(most recent call last\)|AddressSanitizer|runtime error: |double free|core dumped/m;

export default defineOracle({
  name: "stderr_panic",
  summary: "a panic, an unhandled rejection or a traceback on stderr of a server that lives on",
  severity: "finding",
  judge({ stderr, loss, tool }) {
    if (loss !== undefined || !signs.test(stderr)) return undefined;
    return {
      signature: traceSignature(stderr),
      message: `${tool.name} wrote of a failure in its own code on stderr:\n${indentedTail(stderr)}`,
    };
  },
});
