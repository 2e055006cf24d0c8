/** A page with a few words: for who is not let in, or asked for what is not there. */
import type { HttpReply } from "../../platform/http_server.ts";
import { escapeMarkup } from "../../core/values.ts";
import { safeHeaders } from "./safe_headers.ts";

/** @param next where the browser goes by itself, at once */
export function notePage(status: number, title: string, lines: readonly string[], next?: string): HttpReply {
  const refresh = next === undefined
    ? ""
    : `<meta http-equiv="refresh" content="0;url=${escapeMarkup(next)}">`;
  return {
    status,
    headers: { ...safeHeaders, "content-type": "text/html; charset=utf-8" },
    body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
${refresh}
<title>${escapeMarkup(title)} – PTH</title>
<h1>${escapeMarkup(title)}</h1>
${lines.map((line) => `<p>${escapeMarkup(line)}</p>`).join("\n")}
</html>
`,
  };
}
