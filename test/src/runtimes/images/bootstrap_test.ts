import t from "tap";
import {
  mirrorOf,
  parseDeb822,
  parseOneLine,
  sourceLines,
} from "../../../../src/runtimes/images/bootstrap.ts";

t.test("one-line sources", (t) => {
  const text = `# deb http://old/debian bookworm main
deb [arch=amd64 signed-by=/x.gpg] http://mirror/debian bookworm main contrib # comment
deb-src http://mirror/debian bookworm main
deb http://mirror/security bookworm-security main`;
  t.same(parseOneLine(text), [
    { uri: "http://mirror/debian", suite: "bookworm", components: ["main", "contrib"] },
    { uri: "http://mirror/security", suite: "bookworm-security", components: ["main"] },
  ]);
  t.end();
});

t.test("deb822 sources: several suites, comments, continued and disabled stanzas", (t) => {
  const text = `Types: deb deb-src
# a comment inside
URIs: http://mirror/debian
Suites: trixie
 trixie-updates
Components: main

Types: deb
URIs: http://off/debian
Suites: trixie
Components: main
Enabled: no

Types: deb-src
URIs: http://src/debian
Suites: trixie
Components: main`;
  t.same(parseDeb822(text), [
    { uri: "http://mirror/debian", suite: "trixie", components: ["main"] },
    { uri: "http://mirror/debian", suite: "trixie-updates", components: ["main"] },
  ]);
  t.end();
});

t.test("the mirror of a distribution is found among foreign archives", (t) => {
  const sources = parseOneLine(`deb http://vendor/node nodistro main
deb http://local/debian bookworm main
deb http://local/security bookworm-security main`);
  const mirror = mirrorOf("debian", sources);
  t.same(mirror, { uri: "http://local/debian", securityUri: "http://local/security" });
  t.equal(mirrorOf("ubuntu", sources), undefined, "a Debian host names no Ubuntu mirror");
  t.same(sourceLines(mirror!, "debian", "trixie"), [
    "deb http://local/debian trixie main",
    "deb http://local/debian trixie-updates main",
    "deb http://local/security trixie-security main",
  ]);
  t.end();
});

t.test("Ubuntu keeps its security updates in the same archive, and python3-venv in universe", (t) => {
  const mirror = mirrorOf(
    "ubuntu",
    parseOneLine("deb http://u/ubuntu noble main universe\ndeb http://u/ubuntu noble-security main"),
  )!;
  t.equal(sourceLines(mirror, "ubuntu", "noble")[2], "deb http://u/ubuntu noble-security main universe");
  t.end();
});

t.test("a disc is no mirror", (t) => {
  t.equal(mirrorOf("debian", parseOneLine("deb cdrom:[Debian]/ bookworm main")), undefined);
  t.end();
});
