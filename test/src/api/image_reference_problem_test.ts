import t from "tap";
import { imageReferenceProblem } from "../../../src/api/image_reference_problem.ts";
import { environmentConfig } from "../../../src/api/environment_config.ts";
import { readEntry } from "../../../src/matrix/matrix_entries.ts";

const digest = "sha256:" + "a1".repeat(32);

const right = [
  "alpine",
  "debian12-systemd",
  "pth-base-debian12:latest",
  "alpine:3.20",
  "example/mine",
  "localhost/mine",
  "localhost:5000/a/b_c/d__e/f--g.h:T_1.x-y",
  "Registry.Example:443/x",
  "[::1]:5000/x",
  `alpine@${digest}`,
  `alpine:3@${digest}`,
  digest,
  "a".repeat(255),
];

const wrong: [string, RegExp][] = [
  ["", /expected an image/],
  ["../etc", /expected (an image|a registry)/],
  ["a/../b", /expected an image/],
  ["..", /expected an image/],
  [".", /expected an image/],
  ["/etc/passwd", /expected an image/],
  ["a//b", /expected an image/],
  ["a/", /expected an image/],
  ["Alpine", /small letters/],
  ["a?all=1", /expected an image/],
  ["a#b", /expected an image/],
  ["a%2e", /expected an image/],
  ["a b", /expected an image/],
  ["a\nb", /expected an image/],
  ["a\u0000", /expected an image/],
  ["a\u202eb", /expected an image/],
  ["a\n", /expected an image/],
  ["a:t\n", /expected a tag/],
  ["host.example/a\n", /expected an image/],
  ["user:secret@host.example/a", /expected a digest/],
  ["http://host/a", /expected/],
  ["host:99999999/a", /expected a registry/],
  ["-a", /expected an image/],
  ["a:", /expected a tag/],
  ["a:-x", /expected a tag/],
  ["a:" + "x".repeat(129), /expected a tag/],
  ["a@sha256:12", /expected a digest/],
  [`a@${digest}@${digest}`, /expected a digest/],
  ["a".repeat(256), /at most 255/],
  ["a/".repeat(100_000), /at most 512/],
];

t.test("references as engines take them pass", (t) => {
  for (const text of right) t.equal(imageReferenceProblem(text), undefined, text.slice(0, 60));
  t.end();
});

for (const [text, why] of wrong) {
  t.test(`${JSON.stringify(text.slice(0, 40))} is none, wherever it is given`, (t) => {
    t.match(imageReferenceProblem(text), why);
    const parsed = environmentConfig.safeParse({
      baseImage: text,
      fixtures: { services: [{ name: "db", image: text }] },
    });
    const places = parsed.error?.issues.map(({ path }) => path.join("."));
    t.same([...new Set(places)].sort(), ["baseImage", "fixtures.services.0.image"].sort());
    // Entries stand between commas, with spaces around them.
    if (text === text.trim()) t.ok("problem" in readEntry(`docker:${text}`, ["docker"]), "in a matrix");
    t.end();
  });
}
