import t from "tap";
import { watchForDialogs } from "../../../../src/agents/adapters/watch_for_dialogs.ts";

t.test("dialogs of agents are seen by their words, in pieces and in colours", (t) => {
  for (
    const [kind, text] of [
      ["login", "\u001b[1mSelect login method:\u001b[0m\n ❯ 1. Claude account\n   2. Console\n"],
      ["login", "Please visit the following URL to authorize the application:\nhttps://example.com\n"],
      ["login", "How would you like to authenticate for this project?\n● 1. Login with Google\n"],
      ["login", "> Sign in with ChatGPT\n  Provide your own API key\n"],
      ["login", "Password: "],
      ["trust", "Is this a project you created or one you trust?\n❯ 1. Yes, I trust this folder\n"],
      ["trust", "Do you trust this folder?\n"],
      ["permission", "Bash command\n  rm -rf x\nDo you want to proceed?\n❯ 1. Yes\n"],
      ["permission", "Would you like to run the following command?\n"],
      ["permission", "Overwrite it? [y/N] "],
    ] as const
  ) {
    const watch = watchForDialogs();
    const seen = [...text].map((piece) => watch.see(piece)).at(-1);
    t.equal(seen?.kind, kind, text);
  }
  t.end();
});

t.test("what a model says, what is passed, and usual words are no dialog", (t) => {
  const said = '{"type":"assistant","text":"Do you want to proceed?"}\n';
  t.equal(watchForDialogs().see(said), undefined);
  t.equal(watchForDialogs().see(`Do you trust this folder?\n${said}`), undefined);
  const watch = watchForDialogs();
  t.ok(watch.see("Do you want to proceed?\n"));
  t.equal(watch.see("working\n".repeat(12)), undefined);
  for (const text of ["Logged in as nobody\n", "starting the server shop\n", "trusted folders: none\n"]) {
    t.equal(watchForDialogs().see(text), undefined, text);
  }
  t.ok(
    watchForDialogs().see(`${"x".repeat(100_000)}\nDo you trust it? ${"y".repeat(500)}`)!.words.length <= 160,
  );
  t.end();
});
