/** A page as one file that asks nothing of the network and runs no script but its own. */
import { createHash } from "node:crypto";
import { type Markup, markup, trustedMarkup } from "./markup.ts";

export interface PageContent {
  title: string;
  /** Styles and scripts of PTH's own: they are not escaped. */
  style: string;
  script: string;
  body: Markup;
}

export const htmlPage = ({ title, style, script, body }: PageContent): string =>
  markup`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(style, script)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="pth">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${trustedMarkup(style)}</style>
</head>
<body>
${body}
<footer>Written by the Plugin Test Harness.</footer>
<script>${trustedMarkup(script)}</script>
</body>
</html>
`.text;

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Content security policy: only the page's own script and style run, should a text ever break out. */
const policyOf = (style: string, script: string): string =>
  [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
