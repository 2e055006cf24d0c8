import { join } from "node:path";
import { pathToFileURL } from "node:url";
import t from "tap";
import type { ToolDefinition } from "../../../../machines/model/plugin.ts";
import { fixture } from "../../../support/root.ts";
import { learn, refuse, type ScriptedServer } from "./scripted_server.ts";

interface Workshop {
  tools: ToolDefinition[];
  openWorkshop(): { call(name: string, input: object): { isError?: boolean; content: { text: string }[] } };
}

const { tools, openWorkshop } = await import(
  pathToFileURL(join(fixture("chained_plugin"), "workshop.mjs")).href
) as Workshop;

const server: ScriptedServer = {
  tools,
  open() {
    const workshop = openWorkshop();
    return Object.fromEntries(tools.map(({ name }) => [name, (input) => {
      const { isError, content } = workshop.call(name, input);
      return isError ? refuse(content[0]!.text) : content[0]!.text;
    }]));
  },
};

t.test("tools that need each other's answers are all learned, each with no more calls before than it needs", async (t) => {
  const { report, state } = await learn(server, { place: { folder: t.testdir() } });
  const setups = Object.fromEntries(
    report.learned.map(({ tool, setup }) => [tool, setup.map((call) => call.tool).join(" ")]),
  );
  t.strictSame(setups, {
    write_report: "create_project",
    add_task: "create_project",
    start_timer: "create_project add_task",
    get_project: "create_project",
    get_task: "create_project add_task",
    update_task: "create_project add_task",
    schedule_task: "create_project add_task",
    set_urgency: "create_project add_task",
    stop_timer: "create_project add_task start_timer",
    delete_task: "create_project add_task",
  });
  t.strictSame(report.refused, []);
  t.equal(state.open, 0, "every server instance is closed");
});

t.test("the same answers give the same inputs, although ids differ from start to start", async (t) => {
  const place = { folder: t.testdir() };
  const [first, second] = [await learn(server, { place }), await learn(server, { place })];
  t.strictSame(second.report.learned, first.report.learned);
  t.equal(second.calls.length, first.calls.length);
});

t.test("what is known is not searched again", async (t) => {
  const place = { folder: t.testdir() };
  const { report } = await learn(server, { place });
  const again = await learn(server, { place, known: report.learned });
  t.strictSame(again.report.learned, []);
});
