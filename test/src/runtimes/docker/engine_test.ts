import process from "node:process";
import t from "tap";
import { type ErrorCode, PthError } from "../../../../src/core/errors.ts";
import { answerWithin, engineError, undefinedIfMissing } from "../../../../src/runtimes/docker/engine.ts";

const api = (statusCode: number, message: string) =>
  Object.assign(new Error(`(HTTP code ${statusCode}) unexpected - ${message} `), { statusCode });

const cases: [string, unknown, ErrorCode][] = [
  ["no socket", Object.assign(new Error("connect ENOENT"), { code: "ENOENT" }), "RUNTIME_UNAVAILABLE"],
  ["refused", Object.assign(new Error("connect"), { code: "ECONNREFUSED" }), "RUNTIME_UNAVAILABLE"],
  ["no permission", Object.assign(new Error("connect"), { code: "EACCES" }), "RUNTIME_UNAVAILABLE"],
  ["silent", new DOMException("too late", "TimeoutError"), "RUNTIME_UNAVAILABLE"],
  ["full disk", api(500, "write /x: no space left on device"), "DISK_FULL"],
  ["no image", api(404, "No such image: pth-base-fedora:latest"), "IMAGE_MISSING"],
  ["no container", api(404, "No such container: abc"), "ENVIRONMENT_LOST"],
  ["container ended", api(409, "Container abc is not running"), "ENVIRONMENT_LOST"],
  ["no file inside", api(404, "Could not find the file /x in container abc"), "COPY_FAILED"],
  ["anything else", api(500, "something odd"), "COPY_FAILED"],
];

for (const [name, cause, code] of cases) {
  t.test(`${name} is ${code}`, (t) => {
    const error = engineError(cause, "Cannot copy x", "COPY_FAILED") as PthError;
    t.ok(error instanceof PthError);
    t.equal(error.code, code);
    t.match(error.message, /^Cannot copy x: /);
    t.notMatch(error.message, /HTTP code/, "the client's frame is taken off");
    t.equal(error.cause, cause);
    t.end();
  });
}

t.test("an error of ours passes through", (t) => {
  const error = new PthError("DISK_FULL", "x");
  t.equal(engineError(error, "y", "COPY_FAILED"), error);
  t.end();
});

t.test("what the engine does not have is undefined; every other refusal stays one", async (t) => {
  const refusal = (statusCode: number) => Promise.reject(Object.assign(new Error("no"), { statusCode }));
  t.equal(await undefinedIfMissing(Promise.resolve("there")), "there");
  t.equal(await undefinedIfMissing(refusal(404)), undefined);
  await t.rejects(undefinedIfMissing(refusal(409)), { message: "no" });
});

t.test("how long an engine may take is asked of the environment, and told when it took longer", (t) => {
  const { PTH_ENGINE_TIMEOUT, DOCKER_HOST } = process.env;
  const set = (name: string, value: string | undefined) =>
    value === undefined ? delete process.env[name] : process.env[name] = value;
  t.teardown(() => {
    set("PTH_ENGINE_TIMEOUT", PTH_ENGINE_TIMEOUT);
    set("DOCKER_HOST", DOCKER_HOST);
  });
  set("DOCKER_HOST", undefined);
  for (
    const [asked, wanted] of [[undefined, 2000], ["7.5", 7500], ["none", 2000], ["-1", 2000], [
      "1e9",
      600_000,
    ]] as const
  ) {
    set("PTH_ENGINE_TIMEOUT", asked);
    t.equal(answerWithin(), wanted, String(asked));
  }
  set("PTH_ENGINE_TIMEOUT", undefined);
  set("DOCKER_HOST", "tcp://elsewhere:2376");
  t.equal(answerWithin(), 10_000, "another machine may take longer");
  set("DOCKER_HOST", "unix:///run/other.sock");
  set("PTH_ENGINE_TIMEOUT", "3");
  const error = engineError(
    new DOMException("late", "TimeoutError"),
    "Cannot reach it",
    "RUNTIME_UNAVAILABLE",
  );
  t.match(error, { message: /none within 3 s/, context: { next: [/PTH_ENGINE_TIMEOUT=30/] } });
  t.end();
});
