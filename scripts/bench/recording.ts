/** What it costs to record a session, to only remember it, and how a recording grows. */
import { createActor, type InspectionEvent } from "xstate";
import { createEventBus } from "../../src/app/event_bus.ts";
import { SessionManager } from "../../src/app/session/session_manager.ts";
import { withSideSession } from "../../src/app/session/with_side_session.ts";
import { provideActors } from "../../src/app/provide_actors.ts";
import type { Harness } from "../../src/api/harness.ts";
import { createRecorder } from "../../src/visualizer/recording/recorder.ts";
import { benchServer, startSession, useTests } from "./session.ts";
import { median, type Row, time } from "./table.ts";

const tools = 20;
const rounds = 3;

export async function measureRecording(): Promise<Row[]> {
  const folder = await Deno.makeTempDir();
  try {
    return [
      ...await measureSuites(400, 10, `${folder}/suite.jsonl`),
      ...await measureSuites(1000, 0, `${folder}/fast.jsonl`),
      ...await measureEvents(await inspected(), `${folder}/events.jsonl`),
    ];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Whole suites, in turn: a machine that is busy meanwhile is so for all of them. */
async function measureSuites(tests: number, delay: number, recordFile: string): Promise<Row[]> {
  const sessions = {
    none: await startSession(tools, {}, delay),
    remembered: await startSession(tools, { announce: { command: "bench" } }, delay),
    recorded: await startSession(tools, { recordFile }, delay),
  };
  const taken: Record<keyof typeof sessions, number[]> = { none: [], remembered: [], recorded: [] };
  const each = Object.entries(sessions) as [keyof typeof sessions, Harness][];
  try {
    for (const [, harness] of each) await useTests(harness, tests, tools);
    for (let round = 0; round < rounds; round++) {
      for (const [name, harness] of each) {
        taken[name].push(await time(1, () => harness.session().tests.runSuite({ workers: 4 })));
      }
    }
  } finally {
    for (const [, harness] of each) await harness.close();
  }
  const plain = { tool: "neither", value: median(taken.none) };
  const what = `${tests} tests of ${delay} ms`;
  return [
    { what: `${what}, remembered`, value: median(taken.remembered), unit: "ms", plain },
    {
      what: `${what}, recorded`,
      value: median(taken.recorded),
      unit: "ms",
      plain,
      ...(delay > 0 ? { target: "< 1.10×" } : {}),
    },
  ];
}

/** All that XState tells of a session with one suite. */
async function inspected(): Promise<InspectionEvent[]> {
  const events: InspectionEvent[] = [];
  const bus = createEventBus();
  const stage = new SessionManager(bus, { openSideSession: withSideSession });
  const machine = provideActors(() => stage.live, {
    fingerprints: () => false,
    context: () => stage.context,
    publish: bus.publish,
  });
  const actor = createActor(machine, { inspect: (event) => void events.push(event) });
  stage.attach(actor);
  actor.start();
  await stage.start({ command: ["node", benchServer, String(tools)] }, { mode: "run" });
  try {
    const session = stage.commands();
    await session.environment.provision({ runtime: "host" });
    await session.plugin.load({});
    await useTests({ session: () => session }, 1000, tools);
    await session.tests.runSuite({ workers: 4 });
  } finally {
    await stage.end({});
    actor.stop();
  }
  return events;
}

/** The same events again and again, without the session around them. */
async function measureEvents(events: readonly InspectionEvent[], path: string): Promise<Row[]> {
  const heard = events.filter(({ type }) => type === "@xstate.event").length;
  const record = async (times: number, remember: number, contexts?: number) => {
    const recorder = createRecorder({ redact: (text) => text, remember, about: () => ({ pth: "bench" }) });
    if (remember === 0) await recorder.writeTo(path, contexts === undefined ? {} : { contexts });
    for (let round = 0; round < times; round++) {
      for (const event of events) recorder.inspect(event);
      // As a session does: what waits for its turn gets one.
      await new Promise((resolve) => setTimeout(resolve));
    }
    await recorder.close();
  };
  const each = async (remember: number) => (await time(rounds, () => record(1, remember))) * 1000 / heard;
  const rows: Row[] = [
    { what: "an event that is remembered", value: await each(2000), unit: "µs" },
    { what: "an event that is recorded", value: await each(0), unit: "µs", target: "< 20 µs" },
    { what: `a recording of ${heard} events`, value: (await Deno.stat(path)).size / 1024 / 1024, unit: "MB" },
  ];
  const limit = 2 * 1024 * 1024;
  const once = await time(1, () => record(2, 0, limit));
  rows.push({
    what: "4 times as many events, old contexts dropped",
    value: await time(1, () => record(8, 0, limit)) / once,
    unit: "×",
    target: "≤ 5×",
  });
  return rows;
}
