// test: timeout=600
/** Tools that each need what another one made are exercised by `pth run` alone, and a person can read why. */
import { join } from "node:path";
import t from "tap";
import { readTextFile, writeTextAtomically } from "../../../src/platform/files.ts";
import { readLearned } from "../../../src/testing/learn/learned_file.ts";
import { photograph } from "../../support/checkout_photo.ts";
import { openCliTurns } from "../../support/cli_turns.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { failures, makePlace, runPth, story } from "../../support/pth_run.ts";
import { readiness } from "../../support/readiness.ts";

t.setTimeout(600_000);
const { sandbox } = await readiness();
const turns = openCliTurns();
t.teardown(() => turns.close());

const getTask = `- tool: get_task
  setup:
    - tool: create_project
      input:
        name: example
      capture:
        project_id: "/Project ID: ([\\\\w-]+)/"
    - tool: add_task
      input:
        project_id: $project_id
        title: example
      capture:
        task_id: $.output.task.id
  input:
    id: $task_id
  refusal: Task 1 does not exist
`;

t.test("ten tools that need each other are exercised, learned, and reused", { skip: sandbox }, async (t) => {
  const place = await makePlace(t);
  const plugin = await copyFixture("chained_plugin", place.folder);
  const learned = join(place.folder, "learned.yaml");
  const run = (...args: string[]) => runPth(place, [plugin, "--env", "sandbox", ...args], {}, turns.run);

  const before = await photograph(plugin);
  const first = await run("--learned", learned);
  t.equal(first.code, 0, story(first));
  t.match(first.stdout, "all 11 tools exercised");
  t.match(first.stdout, `What was learned is kept in ${learned}`);
  t.match(first.report.timings, { learn_ms: Number });
  t.same(failures(first.report), [], story(first));
  t.same(await photograph(plugin), before, "nothing is written to the author's folder");
  const text = await readTextFile(learned);
  t.match(text, /^# Inputs that worked when PTH tried them/);
  t.ok(text.includes(getTask), text);
  t.match(text, "moment: 2031-12-24", "the form that the refusal shows");
  t.match(text, "urgency: calm", "a value that it lists");
  t.match(text, /mode: assign\n {4}who: /, "a property that the mode needs");
  t.match(text, /output: \/\S+/, "an absolute path");
  t.match(text, /- tool: stop_timer\n(?:.*\n)*? {4}- tool: start_timer/, "a tool that comes first");
  t.same(readLearned(learned, text).problems, []);

  await writeTextAtomically(join(plugin, ".pth/learned.yaml"), text);
  const second = await run();
  t.equal(second.code, 0, story(second));
  t.match(second.stdout, "all 11 tools exercised");
  t.equal(second.report.timings.learn_ms, undefined, "what is known is not searched again");
});

t.test(
  "a tool that reads pages is exercised without a network, by one that is served",
  { skip: sandbox },
  async (t) => {
    const place = await makePlace(t);
    const plugin = await copyFixture("page_plugin", place.folder);
    const learned = join(plugin, ".pth/learned.yaml");
    const run = () => runPth(place, [plugin, "--env", "sandbox", "--learned", learned], {}, turns.run);

    const first = await run();
    t.equal(first.code, 0, story(first));
    t.match(first.stdout, "the one tool exercised");
    const text = await readTextFile(learned);
    t.match(
      text,
      /url: http:\/\/127\.0\.0\.1:\d+\/example\.html\n {2}refusal: getaddrinfo ENOTFOUND example\.com/,
    );
    const second = await run();
    t.equal(second.code, 0, story(second));
    t.match(
      second.stdout,
      "the one tool exercised",
      "the page is served for an input that was learned before",
    );
    t.equal(second.report.timings.learn_ms, undefined);
  },
);
