#!/usr/bin/env node
/** Fixers of test/fixtures/switched_plugin, each with a character: `node switch_off.mjs <character>`. */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";

const { diagnoses } = JSON.parse(readFileSync(0, "utf8"));
const file = "switches.json";
const { wrong } = JSON.parse(readFileSync(file, "utf8"));
const failing = diagnoses.map(({ tool }) => tool);
const write = (tools) => writeFileSync(file, `${JSON.stringify({ wrong: tools })}\n`);

const characters = {
  /** Mends what fails. */
  good: () => write(wrong.filter((tool) => !failing.includes(tool))),
  /** Changes something that does not matter. */
  useless: () => appendFileSync("README.md", "\nLooked at it once more.\n"),
  /** What mends red breaks green, and the other way round. */
  fickle: () => write(failing.includes("red") ? ["green"] : ["red"]),
  /** Mends nothing, and breaks one more each time. */
  harmful: () =>
    write([...wrong, ["green", "blue", "white"].find((tool) => !wrong.includes(tool))].filter(Boolean)),
  /** Fails. */
  failing: () => {
    appendFileSync("README.md", "half done\n");
    console.error("out of credit");
    process.exit(3);
  },
  /** Never ends. */
  slow: () => setInterval(() => {}, 1000),
};

characters[process.argv[2]]();
