import t from "tap";
import { applyEntry, distroOf, entryOf, readEntries } from "../../../src/matrix/matrix_entries.ts";

const runtimes = ["docker", "sandbox", "host"];
const read = (text: string) => readEntries(text, runtimes);

t.test("an entry is an image, a runtime, or both", (t) => {
  const { entries, problems } = read("debian12, pth-base-debian13,sandbox:debian13,host");
  t.same(problems, []);
  t.same(entries, [
    { name: "debian12", distro: "debian12", image: "debian12" },
    { name: "debian13", distro: "debian13", image: "debian13" },
    { name: "sandbox:debian13", distro: "debian13", runtime: "sandbox", image: "debian13" },
    { name: "host", distro: "host", runtime: "host" },
  ]);
  t.end();
});

t.test("an image of one's own is named with its tag or path", (t) => {
  const { entries, problems } = read("docker:alpine:3.20,example/mine");
  t.same(problems, []);
  t.same(entries.map(({ image }) => image), ["alpine:3.20", "example/mine"]);
  t.end();
});

t.test("the distribution of an image is what its trailer says, whatever its kind", (t) => {
  t.equal(distroOf("debian13-systemd"), "debian13");
  t.equal(distroOf("pth-base-debian12"), "debian12");
  t.equal(distroOf("example/mine"), "example/mine");
  t.equal(entryOf({ runtime: "host" }).distro, "host");
  t.end();
});

const mistakes: [string, string, RegExp][] = [
  ["a misspelt image", "debian12,debain13", /there is no image "debain13" \(did you mean "debian13"\?\)/],
  ["a misspelt runtime", "debian12,hots", /there is no image "hots" \(did you mean "host"\?\)/],
  ["nothing like any", "debian12,windows", /known images: debian12, .*runtimes: docker, sandbox, host/],
  ["twice the same", "debian12,pth-base-debian12", /debian12 is listed twice/],
  ["only one", "debian12", /two entries or more, not one/],
  ["nothing between commas", "debian12,,debian13", /nothing between two commas/],
  ["a comma at the end", "debian12,debian13,", /nothing between two commas, or at an end/],
  ["nothing at all", "", /nothing between two commas/],
  ["a runtime without its image", "debian12,docker:", /"docker:" names no image after ":"/],
];

for (const [what, text, problem] of mistakes) {
  t.test(`${what} is told, and then there are no entries`, (t) => {
    const { entries, problems } = read(text);
    t.match(problems.join("; "), problem);
    t.same(entries, []);
    t.end();
  });
}

t.test("everything that is wrong is told at once", (t) => {
  t.equal(read("debain12,debain13,").problems.length, 3);
  t.end();
});

t.test("an entry's image replaces the configuration's, its runtime only where it names one", (t) => {
  const config = { runtime: "docker", baseImage: "fedora", tier: 1 as const };
  t.same(applyEntry(entryOf({ image: "debian13" }), config), {
    runtime: "docker",
    baseImage: "debian13",
    tier: 1,
  });
  t.same(applyEntry(entryOf({ runtime: "host" }), config), { runtime: "host", tier: 1 });
  t.end();
});
