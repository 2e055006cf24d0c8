/** machines/README.md says of every machine who starts it, what it hears and what it emits. */
import { defineCheck } from "./check.ts";

export default defineCheck({
  name: "every machine has its line in machines/README.md",
  async run(tree) {
    const machines = tree.paths.filter((path) => /^machines\/\w+_machine\.ts$/.test(path));
    if (machines.length === 0) return [];
    if (!tree.paths.includes("machines/README.md")) return ["machines/README.md: is missing"];
    const text = await tree.read("machines/README.md");
    return machines
      .map((path) => path.slice("machines/".length))
      .filter((name) => !text.includes(name))
      .map((name) => `machines/README.md: says nothing about ${name}`);
  },
});
