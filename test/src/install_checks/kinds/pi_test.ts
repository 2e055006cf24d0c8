import t from "tap";
import pi from "../../../../src/install_checks/kinds/pi.ts";
import { folderOf } from "../../../../src/plugin/readable_folder.ts";
import { faultsOf, treesOf } from "../trees_of.ts";

const json = JSON.stringify;
const manifest = {
  name: "pi-plants",
  version: "1.0.0",
  keywords: ["pi-package"],
  pi: {
    extensions: ["./src/plants.ts", "./more/*.ts", "!more/old.ts"],
    skills: ["./skills"],
    prompts: ["./prompts"],
  },
  dependencies: { held: "1" },
  peerDependencies: { "@earendil-works/pi-coding-agent": "*" },
};
const sound = {
  "package.json": json(manifest),
  "src/plants.ts": [
    'import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";',
    'import { Type } from "typebox";',
    'import { grow } from "./grow.js";',
    'import held from "held";',
  ].join("\n"),
  "src/grow.ts": "export const grow = 1;",
  "more/other.ts": "",
  "skills/plant/SKILL.md": "",
  "prompts/ask.md": "",
};

t.test("a package that is whole has no fault, and its resources are seen", async (t) => {
  const trees = treesOf(sound);
  t.strictSame(await faultsOf(pi, trees), []);
  t.match(await pi.parts(trees.installed), {
    skills: ["plant"],
    commands: ["ask"],
    programs: ["more/other.ts", "src/plants.ts"],
  });
});

t.test("a package without a manifest of resources has those of the usual folders", async (t) => {
  const bare = { name: "p", version: "1", keywords: ["pi-package"] };
  const trees = treesOf({
    "package.json": json(bare),
    "extensions/a.ts": "",
    "extensions/b/index.ts": "",
    "extensions/b/help.ts": "",
    "skills/s/SKILL.md": "",
  });
  t.match(await pi.parts(trees.installed), {
    skills: ["s"],
    programs: ["extensions/a.ts", "extensions/b/index.ts"],
  });
  t.equal(await pi.detects(folderOf({ "package.json": json(bare) })), true);
  t.equal(await pi.detects(folderOf({ "package.json": json({ name: "p" }) })), false);
});

t.test("each planted fault is found at its place", async (t) => {
  const planted = {
    ...manifest,
    files: ["src/plants.ts", "docs"],
    engines: { node: ">=99" },
    pi: {
      extensions: ["./src/Plants.ts", "./src/plants.ts", "/home/me/x.ts"],
      skills: ["./skills"],
      prompts: ["./prompt"],
      themes: ["../t"],
    },
    dependencies: { near: "file:../near", "@earendil-works/pi-tui": "^1" },
    devDependencies: { held: "1" },
  };
  const trees = treesOf({
    "package.json": json(planted),
    "src/plants.ts": sound["src/plants.ts"],
  }, { "skills/plant/SKILL.md": "", "src/grow.ts": "" });
  t.strictSame(await faultsOf(pi, trees), [
    "absolute-path package.json: pi.extensions",
    "case-mismatch package.json: pi.extensions",
    "not-packed package.json: pi.skills",
    "not-packed src/plants.ts:3",
    "outside-package package.json: dependencies.near",
    "outside-package package.json: pi.themes",
    "undeclared-dependency src/plants.ts:4",
    "wrong-engine package.json: dependencies.@earendil-works/pi-tui",
    "wrong-engine package.json: engines.node",
    "wrong-path package.json: files[1]",
    "wrong-path package.json: pi.prompts",
  ]);
});
