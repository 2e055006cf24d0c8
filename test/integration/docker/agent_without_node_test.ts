// test: timeout=180
/** An agent in an image without Node, by `pth agent run`. */
import { join } from "node:path";
import t from "tap";
import { writeTextFile } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { pth } from "../../support/pth.ts";
import { makePlace, namesIn } from "../../support/pth_run.ts";
import { needsDocker } from "./docker_subject.ts";

t.test(
  "an image without Node, which leads to the model, is one error with the way out",
  needsDocker,
  async (t) => {
    const place = await makePlace(t);
    const image = `pth-test-without-node-${crypto.randomUUID().slice(0, 8)}`;
    t.teardown(() => runCommand(["docker", "image", "rm", "--force", image]));
    await writeTextFile(
      join(place.folder, "Dockerfile"),
      "FROM pth-base-debian12\nRUN rm -f $(which -a node)\n",
    );
    const built = await runCommand(["docker", "build", "--quiet", "--tag", image, place.folder]);
    t.equal(built.code, 0, built.stderr);
    const playbook = join(place.folder, "playbook.yaml");
    await writeTextFile(playbook, "turns: [{ text: Hello }]\n");
    const { code, stdout, stderr } = await pth([
      ...["agent", "run", await copyFixture("agent_plugin", place.folder), "go", "--playbook", playbook],
      ...["--agent", "command", "--agent-command", "true", "--env", "docker", "--image", image],
    ], { env: place.env });
    t.equal(code, 2, stderr);
    t.equal(stdout, "");
    t.match(stderr, /Cannot lead port \d+ of this machine into the environment: there is no Node\.js inside/);
    t.match(stderr, /Next:\s+- Use an image with Node: each base image of PTH has it/);
    t.strictSame(await namesIn(join(place.folder, "worktrees")), []);
    const { stdout: left } = await runCommand([
      "docker",
      "ps",
      "--all",
      "--quiet",
      "--filter",
      `ancestor=${image}`,
    ]);
    t.equal(left, "", "no container is left");
  },
);
