import t from "tap";
import { authorityId, splitPem } from "../../../../src/runtimes/images/context.ts";

const pem = (body: string) => `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----`;

t.test("a bundle falls into its certificates, whatever stands between them", (t) => {
  t.same(splitPem(`# one\n${pem("AAAA")}\n\n# two\n${pem("BB\nBB")}\n`), [pem("AAAA"), pem("BB\nBB")]);
  t.same(splitPem("no certificate"), []);
  t.same(splitPem("-----BEGIN PRIVATE KEY-----\nAA\n-----END PRIVATE KEY-----"), [], "never a key");
  t.end();
});

t.test("the same certificate has one name, however its lines break", (t) => {
  t.equal(authorityId(pem("AAAA")), authorityId(pem("AA\r\nAA")));
  t.not(authorityId(pem("AAAA")), authorityId(pem("AAAB")));
  t.end();
});
