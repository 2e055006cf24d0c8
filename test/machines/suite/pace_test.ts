import t from "tap";
import { type PaceSample, serversFor } from "../../../machines/suite/pace.ts";
import { noneAlone } from "../../../machines/suite/alone.ts";
import type { Schedule } from "../../../machines/suite/schedule.ts";
import { waitingOf } from "../../../machines/suite/waiting.ts";
import { planned } from "../suite_stage.ts";

interface Seen {
  tests: number;
  ended: number;
  startMs?: number;
  width?: number;
  workers?: number;
  samples?: number;
  stillMs?: number;
  tier?: number;
  bailed?: boolean;
}

/** Servers after a sample in which `ended` tests ended, one for each server is in flight and the rest waits. */
function servers(seen: Seen, sample: PaceSample) {
  const { tests, ended, startMs = 300, width = 1, workers = 4, samples = 1, stillMs = 0, tier = 1 } = seen;
  const running = Array.from({ length: width }, (_, at) => ended + at);
  const schedule: Schedule = {
    tests: Array.from({ length: tests }, (_, at) => planned(`t${at}`, { tier })),
    workers,
    bail: seen.bailed ? 1 : undefined,
    rules: { isolation: "shared", strict: false, startMs },
    queue: {
      checks: [],
      tests: waitingOf(Array.from({ length: tests - ended - width }, (_, at) => ended + width + at)),
      again: [],
    },
    pace: { servers: width, samples, ended: 0, stillMs },
    inFlight: Object.fromEntries(running.map((place) => [`test-${place}`, `t${place}`])),
    slow: { actors: [], tools: [] },
    order: { isOn: false, pending: {}, group: undefined },
    alone: noneAlone,
    failed: seen.bailed ? 1 : 0,
    attempts: {},
  };
  return serversFor(schedule, sample);
}

t.test("quick tests stay on the server that is there, however many wait", (t) => {
  t.equal(servers({ tests: 100, ended: 60 }, { elapsedMs: 300, ownMs: 200 }), 1);
  t.equal(servers({ tests: 1000, ended: 200 }, { elapsedMs: 300, ownMs: 270 }), 1, "PTH itself is busy");
  t.equal(servers({ tests: 5, ended: 2 }, { elapsedMs: 300, ownMs: 10 }), 1, "two are soon done");
  t.end();
});

t.test("tests that wait for their server get as many as save more than their start", (t) => {
  const waiting = { elapsedMs: 300, ownMs: 10 };
  t.equal(servers({ tests: 100, ended: 10 }, waiting), 3);
  t.equal(servers({ tests: 1000, ended: 10 }, waiting), 4, "no more than there are workers");
  t.equal(servers({ tests: 1000, ended: 10, workers: 19 }, waiting), 10);
  t.equal(
    servers({ tests: 1000, ended: 10, workers: 9, startMs: 5000 }, waiting),
    2,
    "a start that takes long",
  );
  t.equal(servers({ tests: 1000, ended: 20, width: 2 }, waiting), 4, "beside those that are there");
  t.end();
});

t.test("the first tests are slow since they are the first, unless PTH only waits", (t) => {
  t.equal(servers({ tests: 1000, ended: 60, samples: 0 }, { elapsedMs: 300, ownMs: 150 }), 1);
  t.ok(servers({ tests: 1000, ended: 60, samples: 1 }, { elapsedMs: 300, ownMs: 150 }) > 1);
  t.ok(servers({ tests: 1000, ended: 6, samples: 0 }, { elapsedMs: 300, ownMs: 20 }) > 1);
  t.end();
});

t.test("one test that does not end does not keep the others from a server", (t) => {
  const still = { elapsedMs: 300, ownMs: 2 };
  t.equal(servers({ tests: 50, ended: 0, samples: 0 }, still), 4);
  t.equal(servers({ tests: 50, ended: 0, samples: 0, startMs: 2000 }, still), 1, "not before a start's time");
  t.equal(servers({ tests: 2, ended: 0, samples: 0 }, still), 1, "one may soon have its turn");
  t.equal(servers({ tests: 2, ended: 0, samples: 5, stillMs: 1500 }, still), 2);
  t.end();
});

t.test("where nothing may run beside a test, more servers save nothing", (t) => {
  const waiting = { elapsedMs: 300, ownMs: 10 };
  t.equal(servers({ tests: 100, ended: 5, tier: 2 }, waiting), 1);
  t.equal(servers({ tests: 100, ended: 5, bailed: true }, waiting), 1, "nothing else begins");
  t.end();
});
