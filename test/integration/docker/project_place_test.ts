/** Places where projects' own tests run: in place on this machine, and in environments of each kind. */
import { realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { makeRedactor } from "../../../src/core/redact.ts";
import { environmentPlace } from "../../../src/project_tests/environment_place.ts";
import { hostPlace } from "../../../src/project_tests/host_place.ts";
import docker from "../../../src/runtimes/docker.ts";
import host from "../../../src/runtimes/host.ts";
import type { RuntimeDefinition } from "../../../src/runtimes/runtime.ts";
import sandbox from "../../../src/runtimes/sandbox.ts";
import { projectPlaceContract } from "../../contracts/project_place_contract.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { makeSpec, needsDocker } from "./docker_subject.ts";

t.setTimeout(300_000); // a busy machine takes its time

const redact = makeRedactor([]);

async function project(t: Test): Promise<string> {
  const folder = await realpath(await temporaryFolder(t));
  await writeFile(join(folder, "a.txt"), "one");
  return folder;
}

const inEnvironment = (definition: RuntimeDefinition, image?: string) => async (t: Test) => {
  const runtime = definition.create();
  const spec = makeSpec({ resources: {} });
  if (image === undefined) delete spec.image;
  const handle = await runtime.provision(spec);
  t.teardown(() => runtime.destroy(handle));
  await runtime.mountSource(handle, await project(t), handle.sourcePath);
  return environmentPlace(runtime, handle, { root: handle.sourcePath, path: ["/nowhere"], redact });
};

t.test("in place", (t) => projectPlaceContract(t, async (t) => hostPlace(await project(t), redact)));
t.test("host", (t) => projectPlaceContract(t, inEnvironment(host)));
t.test("sandbox", (t) => projectPlaceContract(t, inEnvironment(sandbox)));
t.test("docker", needsDocker, (t) => projectPlaceContract(t, inEnvironment(docker, "debian12")));
