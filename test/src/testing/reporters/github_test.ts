import t from "tap";
import { toReport } from "../../../../src/testing/report/report.ts";
import {
  annotations,
  repositoryPath,
  workflowCommand,
} from "../../../../src/testing/reporters/github/annotations.ts";
import github from "../../../../src/testing/reporters/github.ts";
import { fullRun } from "./full_run.ts";
import { died, facts, finished, results, written } from "./recorded_run.ts";

const commands = (text: string) => text.split("\n").filter((line) => line.trimStart().startsWith("::"));

t.test("texts can neither end a command nor begin another", (t) => {
  t.equal(
    workflowCommand("error", "50% of\r\n::add-mask::x\n", {
      file: "a,b:c.yaml",
      line: 3,
      title: "a::b, 1%\nx",
    }),
    "::error file=a%2Cb%3Ac.yaml,line=3,title=a%3A%3Ab%2C 1%25%0Ax::50%25 of%0A::add-mask::x%0A\n",
  );
  t.equal(workflowCommand("endgroup", ""), "::endgroup::\n");
  t.end();
});

t.test("failures are errors at their lines, flaky tests warnings, findings one annotation for each kind", (t) => {
  const lines = commands(annotations(toReport(fullRun), (file) => file));
  t.equal(lines.length, 5);
  t.match(
    lines[0],
    /^::error file=tests\/store\.yaml,line=7,title=store - .*::Server crashed: exited with 1%0Acalled/,
  );
  t.match(lines[0], "expected: {%0A");
  t.match(lines[1], /^::error title=order and pay::step 2 \(pay\)/);
  t.match(
    lines[2],
    /^::warning title=flaky%3A tools\/list is well-formed::failed 1 of 4 times; 25%25|failed 1 of 4 times; 25 %25/,
  );
  t.match(lines[3], "::warning title=1 breaking change of the contract::echo: text is required now");
  t.match(lines[4], "::warning title=schema-not-enforced (1)::echo accepted");
  t.end();
});

t.test("a run that died is an error with its code", (t) => {
  t.match(
    annotations(toReport(died), () => undefined),
    "::error title=pth%3A INSTALL_FAILED::Cannot install plugin",
  );
  t.end();
});

t.test("more than fifty failures are told in one line", (t) => {
  const many = Array.from({ length: 60 }, () => results[2]!);
  const run = { ...finished, report: { ...finished.report!, results: many } };
  const lines = commands(annotations(toReport(run), () => undefined));
  t.equal(lines.filter((line) => line.startsWith("::error")).length, 51);
  t.match(lines[50], "10 more failed tests");
  t.end();
});

t.test("what a server says between cannot be a command", (t) => {
  const said = {
    ...results[2]!,
    stderrTail: "::add-mask::a\n::set-output name=x::y",
    message: "::error::mine",
  };
  const text = written(github, [], { ...finished, report: { ...finished.report!, results: [said] } });
  const [first, stop] = text.split("\n");
  t.equal(first, "::group::pth");
  const token = /^::stop-commands::([0-9a-f-]{36})$/.exec(stop!)?.[1];
  t.ok(token, "commands are stopped before anything is said");
  const [before, after] = text.split(`\n::${token}::\n`);
  t.notMatch(before!.split("\n").slice(2).join("\n"), token!);
  t.match(after, /^::endgroup::\n::error /);
  t.notMatch(commands(after!), [/^::(add-mask|set-output)/]);
  t.not(written(github, facts, fullRun).split("\n")[1], stop, "and no two runs stop alike");
  t.end();
});

t.test("paths are the repository's, and files elsewhere have none", (t) => {
  t.equal(repositoryPath("tests/a.yaml", "/repo", "/repo/plugin"), "plugin/tests/a.yaml");
  t.equal(repositoryPath("/repo/a.yaml", "/repo", "/elsewhere"), "a.yaml");
  t.equal(repositoryPath("/tmp/worktree/a.yaml", "/repo", "/repo"), undefined);
  t.end();
});
