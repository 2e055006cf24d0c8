import t from "tap";
import { otherThanAsked } from "../../../src/matrix/ran_where.ts";

t.test("what an entry names must be what it ran in; base images have other names in other runtimes", (t) => {
  const table: [
    { runtime?: string; image?: string },
    { runtime: string; image: string },
    RegExp | undefined,
  ][] = [
    [{}, { runtime: "host", image: "the host itself" }, undefined],
    [{ runtime: "host" }, { runtime: "host", image: "the host itself" }, undefined],
    [{ runtime: "docker" }, { runtime: "host", image: "the host itself" }, /in host, not in docker/],
    [{ image: "debian13" }, { runtime: "docker", image: "pth-base-debian13" }, undefined],
    [{ image: "debian13" }, { runtime: "systemd", image: "pth-base-debian13-systemd:latest" }, undefined],
    [{ image: "debian13" }, { runtime: "vm", image: "debian13-vm" }, undefined],
    [
      { image: "debian13" },
      { runtime: "docker", image: "pth-base-debian12" },
      /pth-base-debian12, not on debian13/,
    ],
    [{ image: "alpine:3" }, { runtime: "docker", image: "alpine:3" }, undefined],
    [{ image: "alpine:3" }, { runtime: "docker", image: "alpine:4" }, /alpine:4, not on alpine:3/],
    [{ image: "alpine" }, { runtime: "docker", image: "alpine:latest" }, undefined],
  ];
  for (const [asked, real, expected] of table) {
    const said = otherThanAsked({ name: "x", distro: "x", ...asked }, real);
    if (expected === undefined) t.equal(said, undefined);
    else t.match(said, expected);
  }
  t.match(otherThanAsked({ name: "x", distro: "x" }, undefined), /no environment is known/);
  t.end();
});
