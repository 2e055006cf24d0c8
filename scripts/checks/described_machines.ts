/** machines/README.md says of every machine who starts it and what it tells, and shows its picture. */
import { defineCheck } from "./check.ts";

export default defineCheck({
  name: "every machine has its line in machines/README.md",
  async run(tree) {
    const machines = tree.paths.filter((path) => /^machines\/\w+_machine\.ts$/.test(path));
    if (machines.length === 0) return [];
    if (!tree.paths.includes("machines/README.md")) return ["machines/README.md: is missing"];
    const text = await tree.read("machines/README.md");
    const problems: string[] = [];
    for (const path of machines) {
      const name = path.slice("machines/".length);
      if (!text.includes(name)) problems.push(`machines/README.md: says nothing about ${name}`);
      const id = /^ {2}id: "(\w+)"/m.exec(await tree.read(path))?.[1];
      if (id !== undefined && !text.includes(`<!-- generated: machine ${id} -->\n`)) {
        problems.push(
          `machines/README.md: does not show ${name}; write <!-- generated: machine ${id} -->, <!-- /generated --> ` +
            "and run deno task gen",
        );
      }
    }
    return problems;
  },
});
