import t from "tap";
import { type ErrorCode, PthError } from "../../../../src/errors.ts";
import { engineError, unlessAbsent } from "../../../../src/runtimes/docker/engine.ts";

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
  t.equal(await unlessAbsent(Promise.resolve("there")), "there");
  t.equal(await unlessAbsent(refusal(404)), undefined);
  await t.rejects(unlessAbsent(refusal(409)), { message: "no" });
});
