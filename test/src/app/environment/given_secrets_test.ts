import t from "tap";
import { givenSecrets } from "../../../../src/app/environment/given_secrets.ts";

t.test("everything that cannot be had is told at once", async (t) => {
  const request = { secretsFile: "/no/such/file", secrets: ["PTH_NO_SUCH_VARIABLE"] };
  const error = await givenSecrets(request).catch((error) => error);
  t.equal(error.code, "INVALID_INPUT");
  t.match(error.context.problems, [
    /there is no such file/,
    /PTH_NO_SUCH_VARIABLE is not in PTH's environment/,
  ]);
});

t.test("named variables come from PTH's own environment", async (t) => {
  t.ok((await givenSecrets({ secrets: ["PATH"] })).PATH);
  t.strictSame(await givenSecrets({}), {});
});
