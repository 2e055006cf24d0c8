import t from "tap";
import { comparePackage } from "../../../src/install_checks/compare_package.ts";
import { defineInstallKind, noPackageParts } from "../../../src/install_checks/install_kind.ts";
import npm from "../../../src/install_checks/kinds/npm.ts";
import { treesOf } from "./trees_of.ts";

const declared = defineInstallKind({
  ...npm,
  declaresServers: true,
  inspect: () => Promise.resolve([]),
  parts: (tree) => Promise.resolve({ ...noPackageParts, skills: tree.has("skill") ? ["skill"] : [] }),
});
const found = { ...declared, declaresServers: false };
const failed = (output: string) => [{ name: "", error: { message: "it exited", output } }];
const lists = (...tools: string[]) => [{ name: "", tools }];
const trees = () => treesOf({}, { skill: "" });

t.test("a server that only the source starts is a fault, as are parts that are lost", async (t) => {
  const { faults } = await comparePackage(found, trees(), {
    source: lists("a"),
    installed: failed("Error: no /work/installed/b.js\n    at frame\n"),
  });
  t.match(faults, [
    {
      code: "not-started",
      message: "the server starts from its source and not from the package: Error: no b.js",
      output: "Error: no b.js",
    },
    { code: "part-lost", place: "skills: skill" },
  ]);
  const both = await comparePackage(found, trees(), { source: lists("a", "b"), installed: lists("b") });
  t.match(both.faults.map(({ place }) => place), ["tools: a", "skills: skill"]);
});

t.test("a declared server that does not start is a fault, also where the source does not start it", async (t) => {
  const { faults } = await comparePackage(declared, treesOf({}), {
    source: failed("x"),
    installed: failed("x"),
  });
  t.match(faults, [{ code: "not-started", message: /from its source neither/ }]);
});

t.test("a program that is no server is a note, one that lacks a file is not", async (t) => {
  const compare = (output: string, source = false) =>
    comparePackage(found, treesOf({}), { source: source ? failed(output) : [], installed: failed(output) });
  const usage = await compare("usage: tool <file>");
  t.match(usage, { faults: [], notes: [/no MCP server, as it seems/] });
  t.match(await compare("Error: ENOENT: no such file, open 'data.json'"), {
    faults: [{ code: "not-started" }],
  });
  t.match(await compare("Error: ENOENT: no such file", true), { faults: [] });
});

t.test("tools that nothing was compared with are told", async (t) => {
  const { notes } = await comparePackage(found, treesOf({}), { source: [], installed: lists("a") });
  t.strictSame(notes, ["Tools were not compared: no server was started from the source"]);
});

t.test("names that the host finds are compared, also where no server lists tools", async (t) => {
  const parts = { tools: ["a"], skills: ["s"], commands: [] };
  const byHost = { source: parts, installed: { ...parts, tools: [], commands: ["more"] } };
  const starts = { source: [], installed: failed("Error: b") };
  const { faults, installed, notes } = await comparePackage(declared, trees(), starts, byHost);
  t.match(faults.map(({ code, place }) => `${code} ${place}`), ["not-started server", "part-lost tools: a"]);
  t.match(installed, { tools: [], skills: ["s"], commands: ["more"] });
  t.strictSame(notes, []);
});
