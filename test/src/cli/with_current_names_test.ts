import t from "tap";
import { withCurrentNames } from "../../../src/cli/with_current_names.ts";
import { runCli } from "../../../src/cli/main.ts";
import { keptContext, scriptedHarness } from "./scripted_harness.ts";

function renamed(...args: string[]) {
  const notices: string[] = [];
  return { args: withCurrentNames(args, (text) => notices.push(text)), notices };
}

t.test("former names of commands and options become the current ones, with one notice each", (t) => {
  t.same(renamed("stand-in", "a.jsonl"), {
    args: ["mock", "a.jsonl"],
    notices: ["stand-in is now called mock; the old name will be removed\n"],
  });
  t.same(renamed("fuzz", "--include-held-back", "--include-held-back"), {
    args: ["fuzz", "--include-destructive", "--include-destructive"],
    notices: ["--include-held-back is now called --include-destructive; the old name will be removed\n"],
  });
  t.end();
});

t.test("current names, operands and names of Object's own stay", (t) => {
  const args = ["mock", "stand-in", "constructor", "--include-destructive"];
  t.same(renamed(...args), { args, notices: [] });
  t.end();
});

t.test("the command line takes a former name, and says so on stderr alone", async (t) => {
  const kept = keptContext(scriptedHarness());
  t.equal(await runCli(["stand-in", "nowhere.jsonl"], kept.context), 2);
  t.match(kept.stderr(), /^stand-in is now called mock[^]*nowhere\.jsonl/);
  t.equal(kept.stdout(), "");
  const help = keptContext(scriptedHarness());
  t.equal(await runCli(["--help"], help.context), 0);
  t.notMatch(help.stdout(), "stand-in");
  t.match(help.stdout(), /^ {2}mock /m);
});
