import t from "tap";
import { problemLine } from "../../../src/core/problems.ts";
import { readHooks } from "../../../src/hooks/read_hooks.ts";
import { folderOf } from "../../../src/plugin/readable_folder.ts";

const command = { type: "command", command: "x" };
const fileOf = (hooks: unknown) => JSON.stringify({ hooks }, undefined, 2);
const read = async (files: Record<string, string>) => {
  const { hooks, problems } = await readHooks(folderOf(files));
  return { hooks, problems: problems.map(problemLine) };
};

t.test("hooks come from hooks.json, from files that the manifest names, and from the manifest itself", async (t) => {
  const { hooks, problems } = await read({
    ".claude-plugin/plugin.json": JSON.stringify({
      name: "p",
      hooks: ["./more.json", { Stop: [{ hooks: [command] }] }],
    }),
    "hooks/hooks.json": fileOf({ PreToolUse: [{ matcher: "Bash", hooks: [command] }] }),
    "more.json": fileOf({ SessionEnd: [{ hooks: [{ type: "http", url: "http://127.0.0.1/a" }] }] }),
  });
  t.same(problems, []);
  t.same(hooks.map(({ event, matcher, place }) => [event, matcher, place.file]), [
    ["PreToolUse", "Bash", "hooks/hooks.json"],
    ["SessionEnd", undefined, "more.json"],
    ["Stop", undefined, ".claude-plugin/plugin.json"],
  ]);
  t.same(hooks[0]!.place, { file: "hooks/hooks.json", line: 7, column: 11 });
});

t.test("each mistake is named at its place, and hooks without one are read", async (t) => {
  const { hooks, problems } = await read({
    "hooks/hooks.json": fileOf({
      PreTolUse: [],
      Stop: [{ matcher: 1, hooks: [] }, { hooks: [{ type: "comand", command: "x" }, command] }, {
        commands: [],
      }],
      SessionEnd: [{ hooks: [{ type: "command" }, { type: "command", command: "x", timeout: 0 }] }],
    }),
  });
  t.equal(hooks.length, 1);
  t.same(problems, [
    'hooks/hooks.json:3:5 there is no event "PreTolUse" (did you mean "PreToolUse"?)',
    "hooks/hooks.json:6:20 Stop: expected a matcher that is a text",
    'hooks/hooks.json:12:21 Stop: type: unknown type "comand" (did you mean "command"?)',
    'hooks/hooks.json:21:7 Stop: expected a map with a list "hooks"',
    "hooks/hooks.json:28:11 SessionEnd: command: expected text, is missing",
    "hooks/hooks.json:34:24 SessionEnd: timeout: expected a number above 0, got 0",
  ]);
});

t.test("a mistake of a guard, or of a file, takes all hooks with it; another one only its own", async (t) => {
  const refused = async (hooks: unknown) =>
    (await readHooks(folderOf({ "hooks/hooks.json": typeof hooks === "string" ? hooks : fileOf(hooks) })))
      .refused;
  const stop = { Stop: [{ hooks: [command] }] };
  t.equal(await refused({ ...stop, PreToolUse: [{ hooks: [{ type: "comand" }] }] }), true);
  t.equal(await refused({ ...stop, PermissionRequest: [{}] }), true);
  t.equal(await refused("{"), true);
  t.equal(await refused({ ...stop, SessionStart: [{ hooks: [{ type: "comand" }] }] }), false);
  t.equal(await refused({ ...stop, PreTool: [] }), false);
});

t.test("a file that is no JSON, or has no hooks, gives none", async (t) => {
  const { problems } = await read({ "hooks/hooks.json": '{ "hooks": { "Stop": [], } }' });
  t.match(problems[0], /^hooks\/hooks.json:1:\d+ not valid JSON/);
  const flat = await read({ "hooks/hooks.json": '{ "Stop": [] }' });
  t.match(flat.problems, [/^hooks\/hooks.json:1:1 expected a map "hooks"/]);
});

t.test("a path of the manifest that leads nowhere, or out of the plugin, is a mistake", async (t) => {
  const at = (hooks: unknown) => read({ ".claude-plugin/plugin.json": JSON.stringify({ name: "p", hooks }) });
  t.match((await at("./none.json")).problems, [/there is no file .\/none.json/]);
  t.match((await at("./../x.json")).problems, [/leads out of the plugin/]);
  t.match((await at("hooks.json")).problems, [/begins with .\//]);
});
