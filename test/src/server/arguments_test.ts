import t from "tap";
import { connect, textOf } from "./connected_client.ts";

t.test("every wrong argument is named at once, with what was expected", async (t) => {
  const server = await connect();
  await server.call("pth_start_session", { pluginPath: "/p" });
  const result = await server.call("pth_run_test_suite", {
    workers: "many",
    tier: 4,
    isolation: "none",
    timeoutSeconds: -1,
    grep: "(",
    time_out: 3,
  });
  t.equal(result.isError, true);
  const text = textOf(result);
  t.match(text, "Cannot run pth_run_test_suite: arguments are not as expected");
  t.match(text, /- workers: expected .*number.*"auto"/);
  t.match(text, /- tier: .*1\|2\|3/);
  t.match(text, /- isolation: .*"shared"\|"per_test"/);
  t.match(text, "- timeoutSeconds: expected a number above 0");
  t.match(text, "- grep: expected a regular expression");
  t.match(text, "- time_out: unknown argument");
  t.match(text, /Arguments: workers, tag/);
  await server.hangUp();
});

t.test("nested arguments are named by their path", async (t) => {
  const server = await connect();
  await server.call("pth_start_session", { pluginPath: "/p" });
  const fixtures = { files: [{ path: "/a", content: "" }, { content: "x" }] };
  const text = textOf(await server.call("pth_provision_environment", { fixtures }));
  t.match(text, "- fixtures.files[1].path: ");
  await server.hangUp();
});

t.test("a session without folder, command or url is refused before anything starts", async (t) => {
  const server = await connect();
  const result = await server.call("pth_start_session", { force: true });
  t.equal(result.isError, true);
  t.match(textOf(result), "give pluginPath, or command or url");
  t.equal(server.created(), 0);
  await server.hangUp();
});

t.test("arguments wrapped in JSON strings reach the harness unwrapped", async (t) => {
  const server = await connect();
  const result = await server.call("pth_start_session", {
    pluginPath: "/p",
    args: '["--verbose","2"]',
    variables: '{"PORT":8080,"NAME":"x"}',
    force: "true",
    server: null,
  });
  t.notOk(result.isError, textOf(result));
  t.match(server.harness.started, [{
    target: { target: "/p", args: ["--verbose", "2"], variables: { PORT: "8080", NAME: "x" } },
    options: { force: true, mode: "session" },
  }]);
  await server.hangUp();
});

t.test("a tool without arguments says so when it is given some", async (t) => {
  const server = await connect();
  await server.call("pth_start_session", { pluginPath: "/p" });
  t.match(
    textOf(await server.call("pth_get_plugin_status", { x: 1 })),
    /pth_get_plugin_status takes no arguments/,
  );
  await server.hangUp();
});
