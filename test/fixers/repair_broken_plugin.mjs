#!/usr/bin/env node
/**
 * Mends each fault planted in test/fixtures/broken_plugin, as the diagnosis on its standard input says: one by a printed
 * patch, the others in place. What it does not know it leaves alone.
 */
import { readFileSync, writeFileSync } from "node:fs";

/** By category: the tool that it is about, what to say, and what its handler does from then on. */
const repairs = {
  "runtime-exception": {
    tool: "crash_on_call",
    title: "Answer from the index instead of throwing after the answer",
    call: 'call: ({ text }) => say(`index of ${text || "nothing"}`),',
  },
  "schema-violation": {
    tool: "wrong_output",
    title: "Give the length as a number, and the language that the schema asks for",
    call: [
      "call: ({ text }) => {",
      '      const measured = { length: text.length, language: "und" };',
      "      return { ...say(JSON.stringify(measured)), structuredContent: measured };",
      "    },",
    ].join("\n"),
  },
  "dependency-error": {
    tool: "missing_import",
    title: "Render the table without a package that is not installed",
    call: "call: ({ text }) => say(`| ${text} |`),",
  },
  "timeout": {
    tool: "never_answers",
    title: "Answer that the archive holds nothing",
    call: "call: ({ text }) => say(`Nothing about ${text} in the archive`),",
    prints: true,
  },
};

const { group, diagnoses } = JSON.parse(readFileSync(0, "utf8"));
const repair = repairs[group.category];
if (
  repair === undefined || !diagnoses.some(({ tool }) => tool === repair.tool) || group.place === undefined
) {
  console.error(`no repair for ${group.category} at ${group.place?.path}`);
  process.exit(0);
}

const { path } = group.place;
const source = readFileSync(path, "utf8");
const start = source.indexOf(`  ${repair.tool}: {\n`);
const from = source.indexOf("    call:", start);
const to = source.indexOf("\n  },\n", from);
const old = source.slice(from, to);

console.log(repair.title);
if (repair.prints) console.log(`\n\`\`\`diff\n${patch()}\`\`\``);
else writeFileSync(path, `${source.slice(0, from)}    ${repair.call}${source.slice(to)}`);

/** The lines before and after give the place. */
function patch() {
  const lines = source.split("\n");
  const at = source.slice(0, from).split("\n").length;
  const before = lines[at - 2];
  const after = source.slice(to + 1).split("\n")[0];
  const removed = old.split("\n");
  const added = `    ${repair.call}`.split("\n");
  const body = [
    ` ${before}`,
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ` ${after}`,
  ];
  const header = `@@ -${at - 1},${removed.length + 2} +${at - 1},${added.length + 2} @@`;
  return `--- a/${path}\n+++ b/${path}\n${header}\n${body.join("\n")}\n`;
}
