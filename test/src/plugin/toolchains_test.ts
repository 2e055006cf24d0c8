import t from "tap";
import { ensureToolchains, toolchainsOf } from "../../../src/plugin/toolchains.ts";
import { rejection } from "../session/helpers.ts";
import { scriptedAccess } from "./helpers.ts";

const isCheck = /\|\| echo 'cargo'/;

t.test("nothing is installed when all is there", async (t) => {
  const env = scriptedAccess([]);
  t.strictSame(await ensureToolchains(env, ["npm", "cargo"]), []);
  t.equal(env.ran.length, 1);
});

for (
  const [manager, command] of [["apt-get", /apt-get install .* cargo$/], [
    "dnf",
    /dnf install .* cargo$/,
  ]] as const
) {
  t.test(`what is missing comes from ${manager}`, async (t) => {
    let checks = 0;
    const env = scriptedAccess([[/for m in/, { stdout: `${manager}\n` }]]);
    const exec: typeof env.exec = async (words) => {
      const missing = isCheck.test(words.join(" ")) && ++checks === 1;
      return { ...await env.exec(words), ...(missing ? { stdout: "cargo\n" } : {}) };
    };
    t.strictSame(await ensureToolchains({ ...env, exec }, ["npm", "cargo"]), ["cargo"]);
    t.match(env.ran.join("\n").split("\n").find((line) => line.includes(" install ")), command);
  });
}

t.test("the bare host is left alone, and its owner told how", async (t) => {
  const env = scriptedAccess([[isCheck, { stdout: "cargo\n" }], [/for m in/, { stdout: "apt-get\n" }]], {
    isolated: false,
  });
  const error = await rejection(ensureToolchains(env, ["cargo"]));
  t.match(error, {
    code: "TOOLCHAIN_MISSING",
    message: /cargo missing, and PTH installs nothing on the host/,
  });
  t.match(error.context.next, [/apt-get install .* cargo/, { terminal: /isolated environment/ }]);
});

t.test("an install that fails shows its output", async (t) => {
  const env = scriptedAccess([
    [isCheck, { stdout: "cargo\n" }],
    [/for m in/, { stdout: "apt-get\n" }],
    [/install/, { code: 100, stdout: "E: Unable to locate package" }],
  ]);
  t.match(await rejection(ensureToolchains(env, ["cargo"])), {
    code: "TOOLCHAIN_MISSING",
    context: { output: /Unable to locate/, next: [{ terminal: /--image/, mcp: /baseImage/ }, /setup/] },
  });
});

t.test("commands tell which toolchains they need", (t) => {
  t.strictSame(toolchainsOf(["cd x && cargo build", "python server.py", "./run"]), ["cargo", "python3"]);
  t.end();
});
