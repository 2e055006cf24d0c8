import { Buffer } from "node:buffer";
import t from "tap";
import { makeRedactor } from "../../../src/session/redact.ts";

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
