import { Buffer } from "node:buffer";
import t from "tap";
import { PthError } from "../../../src/core/errors.ts";
import { makeRedactor, redactError } from "../../../src/core/redact.ts";

const secret = 'p@ss "w0rd"/+é';
const { text } = makeRedactor([secret]);

const shown: [string, string][] = [
  ["as it is", `token=${secret};`],
  ["in JSON", JSON.stringify({ token: secret })],
  ["in a URL", `https://x.test/?t=${encodeURIComponent(secret)}`],
  ["in Base64", Buffer.from(secret).toString("base64")],
  ["in Base64 for URLs", Buffer.from(secret).toString("base64url")],
  ["in a Basic header", Buffer.from(`user:${secret}`).toString("base64")],
  ["in a Basic header with a longer name", Buffer.from(`users:${secret}:more`).toString("base64")],
  ["in HTML", "p@ss &quot;w0rd&quot;/+é"],
];
for (const [name, sample] of shown) {
  t.test(`a secret is hidden ${name}`, (t) => {
    t.match(text(sample), "[REDACTED]");
    t.notMatch(text(sample), "w0rd");
    t.end();
  });
}

t.test("a short secret is hidden where it stands alone and does not tear words apart", (t) => {
  const { text } = makeRedactor(["no"]);
  t.equal(text("say no, not now; pin=no"), "say [REDACTED], not now; pin=[REDACTED]");
  t.end();
});

t.test("of two secrets the longer is hidden whole", (t) => {
  t.equal(makeRedactor(["abcd", "abcdefgh"]).text("abcdefgh abcd"), "[REDACTED] [REDACTED]");
  t.end();
});

t.test("each line of a key file is hidden", (t) => {
  const { text } = makeRedactor(["-----BEGIN KEY-----\nMIIEvQIBADANBg\n-----END KEY-----\n"]);
  t.notMatch(text("saw MIIEvQIBADANBg"), "MIIE");
  t.end();
});

t.test("deep values are copied and redacted, keys and cycles too", (t) => {
  const { value } = makeRedactor(["hunter22"]);
  const given: Record<string, unknown> = { list: ["x hunter22"], hunter22: 1, date: new Date(0), none: null };
  given.self = given;
  const result = value(given);
  t.strictSame(result.list, ["x [REDACTED]"]);
  t.equal(result["[REDACTED]"], 1);
  t.equal(result.self, result);
  t.strictSame(given.list, ["x hunter22"], "the original stays");
  t.end();
});

t.test("without secrets everything passes as it is", (t) => {
  const { text, value } = makeRedactor(["", "  "]);
  const given = { a: [1] };
  t.equal(text("a  b"), "a  b");
  t.equal(value(given), given);
  t.end();
});

const awkward = 'q7/"Zx+ é\\vault=81-kilo$<a>';
const hidden = makeRedactor([awkward]);
const json = (value: unknown, times: number): string =>
  times === 0 ? String(value) : json(JSON.stringify(value), times - 1);
const python = awkward.replaceAll("\\", "\\\\").replace("é", "\\u00e9");
const wrapped = Buffer.from(`user: ${awkward.repeat(3)}`).toString("base64").replaceAll(/.{76}/g, "$&\n");
const spellings: [string, string][] = [
  ["in JSON within JSON", json(awkward, 2)],
  ["in JSON three times over", json({ key: awkward }, 3)],
  ["in JSON of ASCII alone", JSON.stringify(awkward).replace("é", "\\u00E9")],
  ["in Go's JSON", JSON.stringify(awkward).replace("<", "\\u003c").replace(">", "\\u003e")],
  ["in PHP's JSON", JSON.stringify(awkward).replace("/", "\\/")],
  ["in Python's repr", `'${python.replace("\\u00e9", "é")}'`],
  ["in Python's bytes", `b'${python.replace("\\u00e9", "\\xc3\\xa9")}'`],
  ["in a form", new URLSearchParams({ awkward }).toString()],
  [
    "in a URL with small digits",
    encodeURIComponent(awkward).replaceAll(/%../g, (code) => code.toLowerCase()),
  ],
  ["in a URL within a URL", encodeURIComponent(encodeURIComponent(awkward))],
  ["in a URL in JSON", JSON.stringify({ url: `https://x.test/?${encodeURI(awkward)}` })],
  ["quoted for a shell", awkward.replaceAll(/[^\w]/g, "\\$&")],
  [
    "in XML",
    awkward.replace('"', "&#34;").replace("<", "&lt;").replace(">", "&#x3E;").replace("é", "&#233;"),
  ],
  ["in HTML within HTML", awkward.replace('"', "&amp;quot;").replace("<", "&amp;lt;")],
  ["as JSON in Base64", Buffer.from(JSON.stringify({ key: awkward })).toString("base64")],
  ["in Base64 with line ends", wrapped],
  ["in Base64 with line ends in JSON", JSON.stringify(wrapped)],
  ["in hexadecimal", Buffer.from(awkward).toString("hex").toUpperCase()],
];
for (const [name, sample] of spellings) {
  t.test(`a secret is hidden ${name}`, (t) => {
    const shown = hidden.text(`before ${sample} after`);
    t.match(shown, /^before .*\[REDACTED\].* after$/s);
    const parts = ["vault", "kilo", Buffer.from("kilo").toString("hex").toUpperCase()];
    for (const part of parts) t.notMatch(shown, part);
    for (const found of shown.matchAll(/[A-Za-z0-9+/=]{16,}/g)) {
      t.notMatch(Buffer.from(found[0], "base64").toString(), /vault|kilo/);
    }
    t.end();
  });
}

t.test("a long key is hidden whole, also as Base64 in lines", (t) => {
  const line = () => Buffer.from(crypto.getRandomValues(new Uint8Array(48))).toString("base64");
  const key = ["-----BEGIN KEY-----", ...Array.from({ length: 40 }, line), "-----END KEY-----", ""].join(
    "\n",
  );
  const { text } = makeRedactor([key]);
  const shown = text(Buffer.from(key).toString("base64").replaceAll(/.{76}/g, "$&\n"));
  t.ok(shown.length < 40, shown.slice(0, 200));
  t.end();
});

t.test("what only looks like a spelling stays", (t) => {
  const { text } = makeRedactor(["a+b c"]);
  const other = "a b c, a%20b+c, ab c, \\a\\b";
  t.equal(text(other), other);
  t.end();
});

t.test("a secret with backslashes is hidden as echo tells it, and however often it was quoted", (t) => {
  const { text } = makeRedactor(["key\\vault\\nine=7"]);
  t.equal(text("key\x0bault\nine=7"), "[REDACTED]");
  t.equal(text(JSON.stringify({ is: "key\x0bault\nine=7" })), '{"is":"[REDACTED]"}');
  t.notMatch(text(json("key\\vault\\nine=7", 6)), "vault");
  t.end();
});

t.test("errors lose secrets in message, stack, context and causes; those without any stay the same", (t) => {
  const redact = makeRedactor(["hunter22"]);
  const cause = new TypeError("cannot use hunter22");
  const error = new PthError("BUILD_FAILED", "Cannot build: hunter22", { output: "with hunter22" }, {
    cause,
  });
  const safe = redactError(error, redact) as PthError;
  t.match(safe, { code: "BUILD_FAILED", context: { output: "with [REDACTED]" } });
  t.match(safe.cause, { name: "TypeError", message: "cannot use [REDACTED]" });
  t.notMatch(`${safe.stack} ${safe.message} ${(safe.cause as Error).stack}`, "hunter22");
  const abort = new DOMException("stopped", "AbortError");
  t.equal(redactError(abort, redact), abort);
  const around = new PthError("INTERNAL", "Cannot go on", {}, { cause: new Error("hunter22") });
  t.match((redactError(around, redact) as PthError).cause, { message: "[REDACTED]" });
  t.equal(redactError("hunter22", redact), "[REDACTED]");
  t.end();
});

/** Each character of a text in one encoding. */
const encodings: Record<string, (character: string) => string> = {
  "percent": (c) => `%${c.charCodeAt(0).toString(16)}`,
  "percent in capitals": (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  "percent of percent": (c) => `%25${c.charCodeAt(0).toString(16)}`,
  "JSON": (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  "JSON in JSON": (c) => `\\\\u${c.charCodeAt(0).toString(16).padStart(4, "0").toUpperCase()}`,
  "JavaScript": (c) => `\\u{${c.charCodeAt(0).toString(16)}}`,
  "C": (c) => `\\x${c.charCodeAt(0).toString(16)}`,
  "decimal entities": (c) => `&#${c.charCodeAt(0)};`,
  "decimal entities with zeros": (c) => `&#00${c.charCodeAt(0)};`,
  "hexadecimal entities": (c) => `&#x${c.charCodeAt(0).toString(16)};`,
  "entities in HTML": (c) => `&amp;#X${c.charCodeAt(0).toString(16)};`,
  "percent in JSON": (c) => `\\u0025${c.charCodeAt(0).toString(16)}`,
  "all of an escape escaped": (c) =>
    [...`%${c.charCodeAt(0).toString(16)}`].map((each) => `&#${each.charCodeAt(0)};`).join(""),
};

for (const key of ["hunter22secret", 'q7/"Zx+vault=81-kilo$<a>', "key\\vault\\x41=%41&#65;"]) {
  const { text: hideKey } = makeRedactor([key]);
  t.test(`each character of ${key} may be encoded, or some of them, in one way or several`, (t) => {
    const ways = Object.entries(encodings);
    for (const [name, encode] of ways) {
      t.equal(hideKey(`a ${[...key].map(encode).join("")} b`), "a [REDACTED] b", `all in ${name}`);
      const some = [...key].map((c, at) => at % 3 === 0 || /\W/.test(c) ? encode(c) : c).join("");
      t.equal(hideKey(`a ${some} b`), "a [REDACTED] b", `some in ${name}`);
    }
    const mixed = [...key].map((c, at) => ways[at % ways.length]![1](c)).join("");
    t.equal(hideKey(`<${mixed}> ${mixed}`), "<[REDACTED]> [REDACTED]", "each in another");
    t.equal(hideKey(`x ${key} y %41 &#66;`), "x [REDACTED] y %41 &#66;", "as it is; others keep their form");
    t.end();
  });
}

t.test("Base64 of a secret is found in a URL that escapes all of it", (t) => {
  const { text } = makeRedactor(["hunter22secret"]);
  const base64 = Buffer.from("hunter22secret").toString("base64").replaceAll(/=/g, "");
  const url = [...base64].map((c) => `%${c.charCodeAt(0).toString(16)}`).join("");
  t.equal(text(`?t=${url}&u=1`), "?t=[REDACTED]&u=1");
  t.end();
});

t.test("long texts of escapes are looked through at once", (t) => {
  const { text } = makeRedactor(["hunter22secret", "another-one"]);
  const started = performance.now();
  for (const piece of ["\\", "%25", "&amp;", "&#0", "%68", "\\u0068", "&#104;", "%2525", "\\u{0000"]) {
    const long = piece.repeat(200_000);
    t.equal(text(long), long);
  }
  t.ok(performance.now() - started < 5000, `${performance.now() - started} ms`);
  t.end();
});
