import t from "tap";
import type { MatrixReport } from "../../../../../machines/model/matrix.ts";
import { renderTables } from "../../../../../src/testing/reporters/spec/matrix.ts";

const entry = (name: string, os: string): MatrixReport["entries"][number] => ({
  name,
  distro: name,
  state: "passed",
  environment: { id: "e1", runtime: "docker", image: name, os },
  summary: { total: 24, passed: 24, failed: 0, skipped: 0, flaky: 0, durationMs: 1 },
  durationMs: 6700,
});

const matrix: MatrixReport = {
  entries: [entry("debian12", "Debian GNU/Linux 12 (bookworm)"), entry("alpine", "Alpine")],
  differences: [],
};

const tables = (columns: number) =>
  renderTables(matrix, { write: () => {}, colour: false, isTerminal: true, columns: () => columns })
    .trimEnd().split("\n").slice(1);

t.test("a narrow terminal shortens the widest column and keeps those behind it", (t) => {
  t.same(tables(80), [
    "  environment  image                       tests  passed  failed  skipped  time",
    "  debian12     docker (debian12), Debian…  24     24      0       0        6.7 s",
    "  alpine       docker (alpine), Alpine     24     24      0       0        6.7 s",
  ]);
  t.match(tables(200)[1], "docker (debian12), Debian GNU/Linux 12 (bookworm)  24 ");
  t.ok(tables(30).every((line) => line.length <= 30), "nothing is wrapped");
  t.end();
});
