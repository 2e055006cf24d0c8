/** Detail on request: what a summary leaves out, from where it is kept. */
import type {
  BuildDetail,
  Detail,
  DetailRequest,
  ExchangeDetail,
  McpMessage,
  ResourcesDetail,
  StderrDetail,
} from "../../../machines/model/detail.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { definedOnly } from "../../core/values.ts";
import { PthError } from "../../core/errors.ts";
import type { TestEvidence } from "../../testing/evidence/failure_evidence.ts";
import type { EnvironmentCommands, RequestOptions, Session } from "../../api/harness.ts";
import { groupMessagesByCall } from "../../testing/evidence/group_messages_by_call.ts";
import { sendOperation } from "../send_request.ts";
import type { SessionParts } from "../session/session_parts.ts";
import { workOnBranch } from "../fixes/work_on_branch.ts";

/** Limit of messages of each connection, if no test is named. */
const mostMessages = 40;

export function detailCommand(
  context: SessionParts,
  environment: Pick<EnvironmentCommands, "inspect" | "health">,
): Pick<Session, "detail"> {
  const { live } = context;
  return {
    async detail({ kind, test, commit }: DetailRequest, options: RequestOptions = {}): Promise<Detail> {
      switch (kind) {
        case "exchange":
          return test === undefined ? latestExchange(context) : exchangeOf(context, test);
        case "stderr":
          return test === undefined ? latestStderr(context) : stderrOf(context, test);
        case "diff":
          return {
            kind,
            ...await workOnBranch(context, "show_fix", definedOnly({ commit }), options),
          };
        case "build":
          return live.secrets.redact.value(buildOf(context));
        case "resources":
          return await resourcesOf(context, environment, options);
      }
    },
  };
}

/** @throws {PthError} `NO_SUCH_TEST` */
function find({ tests, results, live }: SessionParts, wanted: string) {
  const { known } = tests;
  const test = known.find(({ id }) => id === wanted) ?? known.find(({ name }) => name === wanted);
  if (!test) {
    throw new PthError("NO_SUCH_TEST", `Cannot show ${wanted}: there is no test of this id or name`, {
      next: [{ mcp: "List the tests: pth_list_tests" }],
    });
  }
  const status = results.latest.get(test.id)?.status;
  const evidence = live.evidence.failures.of(test.id) ?? live.evidence.captures.of(test.id);
  const about = { id: test.id, name: test.name, ...(status === undefined ? {} : { status }) };
  const note = noteOn(test, status, evidence, live.evidence.captures.wasPruned(test.id));
  return { evidence, facts: { test: about, ...(note === undefined ? {} : { note }) } };
}

function noteOn(
  { id }: TestCase,
  status: string | undefined,
  evidence: TestEvidence | undefined,
  pruned: boolean,
): string | undefined {
  const again = `Run it again: pth_run_test({ id: "${id}" })`;
  if (status === undefined) return `It has not run yet. ${again}`;
  if (pruned) return `Captures of later tests took its place. ${again}`;
  if (!evidence) return "Nothing was said: it did not come to a call.";
  return evidence.cut?.join(" ");
}

function exchangeOf(context: SessionParts, wanted: string): ExchangeDetail {
  const { evidence, facts } = find(context, wanted);
  return {
    kind: "exchange",
    ...facts,
    calls: groupMessagesByCall((evidence?.exchange ?? []) as McpMessage[]),
  };
}

function stderrOf(context: SessionParts, wanted: string): StderrDetail {
  const { evidence, facts } = find(context, wanted);
  const { stderr = "", strayOutput = [], commands = [] } = evidence ?? {};
  return {
    kind: "stderr",
    ...facts,
    stderr,
    stdout: strayOutput,
    commands: commands.map(({ exec, code, stdout, stderr }) => ({ exec, code, stdout, stderr })),
  };
}

/** Latest messages on the open connections, including those of calls outside of tests. */
function latestExchange({ live }: SessionParts): ExchangeDetail {
  const messages = [...live.connections.open.values()]
    .flatMap((connection) => connection.exchanges().slice(-mostMessages))
    .sort((a, b) => a.at - b.at);
  return {
    kind: "exchange",
    calls: groupMessagesByCall(live.secrets.redact.value(messages)),
    ...notLoaded(live.connections.open.size),
  };
}

function latestStderr({ live }: SessionParts): StderrDetail {
  const connections = [...live.connections.open.values()];
  const stderr = connections.map((connection) => connection.stderrTail()).join("");
  const stdout = connections.flatMap((connection) => connection.strayOutput());
  return live.secrets.redact.value({
    kind: "stderr",
    stderr,
    stdout,
    commands: [],
    ...notLoaded(connections.length),
  });
}

const notLoaded = (connections: number): { note?: string } =>
  connections > 0 ? {} : { note: "No server runs. Load the plugin: pth_load_plugin({})" };

function buildOf({ live }: SessionParts): BuildDetail {
  const { build } = live.plugin.plan ?? live.plugin.draft ?? {};
  const failure = live.plugin.loadFailure;
  const output = failure?.context.output ?? live.plugin.lastBuildOutput;
  const { build_ms: durationMs } = live.progress.timings;
  return {
    kind: "build",
    ...(build === undefined ? {} : { system: `${build.system} (${build.evidence})` }),
    ...(build?.install === undefined ? {} : { install: build.install }),
    ...(build?.build === undefined ? {} : { build: build.build }),
    output,
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(failure === undefined ? {} : { error: failure.message }),
  };
}

async function resourcesOf(
  { actor }: SessionParts,
  environment: Pick<EnvironmentCommands, "inspect" | "health">,
  options: RequestOptions,
): Promise<ResourcesDetail> {
  const usage = await sendOperation(actor, "usage", {}, { signal: options.signal });
  const { state } = await environment.inspect(options);
  return { kind: "resources", state, health: await environment.health(options), usage };
}
