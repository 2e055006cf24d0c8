/** `git_state` on what git says of a project. */
import { join } from "node:path";
import t from "tap";
import type { CheckOutcome } from "../../../../machines/model/agent_fixture.ts";
import { writeTextFile } from "../../../../src/platform/files.ts";
import { runCommand } from "../../../../src/platform/process.ts";
import { expectationTypes } from "../../../../src/agent_fixtures/judge_expectations.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";
import { checksOf, ended, judge, sessionOf } from "../session_of.ts";

const judged = (expected: object, outcome: CheckOutcome) =>
  judge("git_state", expected, sessionOf([], { checks: checksOf("git_state", expected, [outcome]) }));

t.test("branch, commits, message and uncommitted files are read from a repository", async (t) => {
  const project = await temporaryFolder(t);
  const [check] = expectationTypes.get("git_state")!.checks!({});
  const sh = (script: string) => runCommand(["sh", "-c", script], { cwd: project });
  const look = async () => {
    const { code, stdout, stderr } = await sh(check!.script);
    return { code, stdout, stderr };
  };
  t.match(judged({ clean: true }, await look()), { pass: false, reason: /git cannot tell its state/ });
  const commit = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m";
  await sh(
    `git init -q -b main && ${commit} Start && git checkout -q -b herbs && ${commit} 'Label the fern'`,
  );
  t.match(judged({ branch: "h*", commits: 1, message: "fern", clean: true }, await look()), {
    pass: true,
    actual: { branch: "herbs", commits: 1 },
  });
  await writeTextFile(join(project, "new.txt"), "");
  t.match(judged({ branch: "main", commits: { min: 2 }, message: "moss", clean: true }, await look()), {
    pass: false,
    reason:
      /the branch is herbs, not main; 1 commit, expected at least 2; .*; files are not committed: \?\? new\.txt/,
  });
  t.match(judged({ clean: false }, await look()), { pass: true });
});

t.test("a repository that cannot be read has no state", (t) => {
  t.match(judged({ clean: true }, { problem: "it took more than 30 s" }), {
    pass: false,
    reason: /more than 30 s/,
  });
  t.match(judged({ clean: true }, ended(1, "", "the project is no repository")), {
    pass: false,
    reason: /no repository/,
  });
  t.match(judge("git_state", { clean: true }, sessionOf([])), { pass: false, reason: /not asked/ });
  t.throws(() => judge("git_state", {}, sessionOf([])), /expected a state/);
  t.end();
});
