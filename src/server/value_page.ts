/** A page on the host's loopback that takes values once: what must not go through the MCP client (secrets) is typed there. */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { Buffer } from "node:buffer";
import { type HttpReply, type HttpRequest, serveOnLoopback } from "../platform/http_server.ts";
import type { ConfigQuestion, MissingValue } from "../api/harness.ts";
import { escapeMarkup as escape } from "../core/values.ts";

interface ValuePage {
  /** Address with a random token. */
  url: string;
  /** Resolves with the values once they are given; the page is gone then. */
  given: Promise<Record<string, string>>;
  close(): Promise<void>;
}

const headers = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  // Not "no-referrer": browsers would then hide the form's own origin, too.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
};

export async function openValuePage(question: ConfigQuestion): Promise<ValuePage> {
  const path = `/${randomBytes(32).toString("base64url")}`;
  let give: (values: Record<string, string>) => void = () => {};
  const given = new Promise<Record<string, string>>((resolve) => give = resolve);
  let used = false;
  const server = await serveOnLoopback(async (request): Promise<HttpReply> => {
    const origins = [`http://127.0.0.1:${server.port}`, `http://localhost:${server.port}`];
    if (used || !isOurs(request, path, origins)) return { status: 404, headers, body: page("Not here") };
    if (request.method === "GET") return { status: 200, headers, body: form(question) };
    if (request.method !== "POST") return { status: 405, headers: { ...headers, allow: "GET, POST" } };
    const values = valuesOf(await request.text(), question.missing);
    const open = question.missing.filter(({ name }) => !values[name]);
    if (open.length > 0) {
      return {
        status: 400,
        headers,
        body: form(question, `Still missing: ${open.map(({ name }) => name).join(", ")}`),
      };
    }
    used = true;
    give(values);
    return { status: 200, headers, body: page("Thank you", "<p>You can close this page.</p>") };
  });
  return { url: `http://127.0.0.1:${server.port}${path}`, given, close: () => server.close() };
}

/** The path is the key; other sites can neither frame the page nor post to it, under whatever name they reach it. */
function isOurs(
  { path, headers: { host, origin } }: HttpRequest,
  wanted: string,
  origins: string[],
): boolean {
  const [asked, known] = [Buffer.from(path), Buffer.from(wanted)];
  if (asked.length !== known.length || !timingSafeEqual(asked, known)) return false;
  if (!origins.includes(`http://${host}`)) return false;
  return origin === undefined || origins.includes(String(origin));
}

function valuesOf(body: string, fields: readonly MissingValue[]): Record<string, string> {
  const sent = new URLSearchParams(body);
  return Object.fromEntries(fields.map(({ name }) => [name, sent.get(name) ?? ""]));
}

const form = ({ plugin, missing }: ConfigQuestion, problem = ""): string =>
  page(
    `Configuration of ${escape(plugin)}`,
    `<p>The Plugin Test Harness asks for what ${
      escape(plugin)
    } needs to start. It is given to the plugin as environment variables,
kept in memory until the session ends, and not shown to the assistant.</p>
${problem && `<p role="alert"><strong>${escape(problem)}</strong></p>`}
<form method="post" autocomplete="off">
${missing.map(field).join("\n")}
<button type="submit">Give to the plugin</button>
</form>`,
  );

const field = ({ name, secret, description, source }: MissingValue): string =>
  `<label>${escape(name)} <small>${escape([description, source].filter(Boolean).join(", "))}</small>
<input name="${escape(name)}" type="${secret ? "password" : "text"}" autocomplete="off" required></label>`;

const page = (title: string, body = ""): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>body{font:16px system-ui;max-width:34rem;margin:3rem auto;padding:0 1rem}label{display:block;margin:1rem 0}
input{display:block;width:100%;font:inherit;padding:.4rem}small{color:#666}</style>
<h1>${title}</h1>
${body}
</html>
`;
