import t from "tap";
import { folderOf } from "../../../../src/plugin/readable_folder.ts";
import generic from "../../../../src/project_tests/frameworks/generic.ts";
import type { TestProject } from "../../../../src/project_tests/framework.ts";

const projectWith = (request: TestProject["request"]): TestProject => ({
  folder: folderOf({}),
  root: "/project",
  request,
  probe: () => Promise.reject(new Error("not asked")),
});

t.test("is chosen by a command alone, behind every other framework", async (t) => {
  t.equal(await generic.detect(projectWith({})), undefined);
  t.equal((await generic.detect(projectWith({ command: "make check" })))?.confidence, 1);
});

t.test("a level without a command to choose by is refused with a way out", (t) => {
  t.throws(
    () =>
      generic.plan(projectWith({ command: "make check", level: "unit" }), { scratch: "/s", events: "/e" }),
    {
      code: "INVALID_INPUT",
    },
  );
  t.end();
});
