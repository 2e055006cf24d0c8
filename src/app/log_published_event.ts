/** The session's steps in the debug log: what started, how it ended, how long it took. */
import { errorMessage } from "../core/errors.ts";
import type { PublishedEvent } from "../api/harness.ts";
import { log, type LogFacts } from "../platform/log.ts";

/** Tests one by one and output piece by piece are many: trace. What a session is about: info. */
export function logPublishedEvent(fact: PublishedEvent): void {
  const level = levels[fact.type] ?? "debug";
  if (log.enabled(level)) log[level](fact.type, summaryOf(fact));
}

const levels: { [type in PublishedEvent["type"]]?: "info" | "trace" } = {
  "harness.activated": "info",
  "harness.deactivated": "info",
  "suite.finished": "info",
  "step.output": "trace",
  "test.started": "trace",
};

function summaryOf(fact: PublishedEvent): LogFacts {
  switch (fact.type) {
    case "harness.activated":
      return { sessionId: fact.session.sessionId, source: fact.session.source };
    case "step.failed":
      return { phase: fact.phase, error: errorMessage(fact.error) };
    case "environment.provisioned":
      return { handle: fact.environment.handle, reason: fact.environment.reason };
    case "plugin.loaded":
      return { server: fact.plugin.server, tools: fact.plugin.tools.length };
    case "suite.started":
      return { tests: fact.tests.length, workers: fact.workers, why: fact.workersReason };
    case "test.started":
      return { test: fact.test.id, connection: fact.connection };
    case "test.finished": {
      const { id, status, category, durationMs, connection } = fact.result;
      return { test: id, status, category, durationMs, connection };
    }
    default: {
      const { type: _type, ...facts } = fact;
      return facts;
    }
  }
}
