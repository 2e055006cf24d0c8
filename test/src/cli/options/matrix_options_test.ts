import { Command } from "commander";
import t from "tap";
import { addMatrixOptions, readMatrix } from "../../../../src/cli/options/matrix_options.ts";
import { Problems } from "../../../../src/cli/options/problems.ts";

const read = async (...args: string[]) => {
  const command = addMatrixOptions(new Command()).parse(args, { from: "user" });
  const problems = new Problems();
  const matrix = await readMatrix(command.opts(), problems);
  problems.throwIfAny("Cannot run");
  return matrix;
};

t.test("several lists are one: none is forgotten", async (t) => {
  const matrix = await read("--matrix", "debian12", "--matrix", "sandbox,host");
  t.same(matrix?.entries.map(({ name }) => name), ["debian12", "sandbox", "host"]);
  t.equal(await read(), undefined);
});

t.test("the same mistake is told once", async (t) => {
  const message = "Cannot run: --matrix ,: there is nothing between two commas, or at an end";
  await t.rejects(read("--matrix", ","), { message });
});
