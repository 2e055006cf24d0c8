/** Lines on stdout that no client can read. */
import { textExcerpt } from "../../../core/text.ts";
import { defineOracle } from "../oracle.ts";
import { commonText } from "../common_text.ts";

export default defineOracle({
  name: "stray_output",
  summary: "a line on stdout that is no JSON-RPC",
  severity: "failure",
  judge({ stray, tool }) {
    const [line] = stray;
    if (line === undefined) return undefined;
    return {
      // Such lines quote what they are about; their first word is what they share.
      signature: commonText(line).split(" ", 2)[0] ?? "",
      message: `${tool.name} wrote a line on stdout that no MCP client can read: ${textExcerpt(line, 200)}`,
      category: "protocol-error",
    };
  },
});
