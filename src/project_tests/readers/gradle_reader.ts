/** Reads what Gradle's test tasks do, as PTH's script within the build tells it. */
import { isObject, jsonIn } from "../../core/values.ts";
import type { EventReader, TestProject } from "../framework.ts";
import { javaFailure, type JavaSources } from "./java_failure.ts";
import { reportedEvents } from "./reported_events.ts";

type Line = Record<string, unknown>;

export interface GradleReaderOptions {
  sources: JavaSources;
  /** True for tests that are left away. */
  drops(name: string): boolean;
}

export function createGradleReader(
  project: TestProject,
  { sources, drops }: GradleReaderOptions,
): EventReader {
  const inner = reportedEvents(project, { drops });
  /** Numbers of tests that have ended, by the task that runs them. */
  const tasks = new Map<unknown, number>();

  function linesOf(line: Line): Line[] {
    switch (line.type) {
      case "plan":
        tasks.set(line.id, 0);
        return [];
      case "plan_ended": {
        const ended = tasks.get(line.id);
        tasks.delete(line.id);
        const open = Array.isArray(line.open) ? line.open : [];
        const classes = open.filter((name) => typeof name === "string" && name !== "").join(", ");
        const reason = open.length > 0
          ? `A Java VM of ${line.id} ended before its tests did${classes === "" ? "" : `, in ${classes}`}`
          : ended !== line.tests
          ? `Gradle counts ${line.tests} tests in ${line.id}, and ${ended} have ended`
          : undefined;
        return reason === undefined ? [] : [{ type: "suite_ended", complete: false, reason }];
      }
      case "started":
        return [{ ...line, test: testOf(line) }];
      case "finished":
        tasks.set(line.task, (tasks.get(line.task) ?? 0) + 1);
        return [{
          ...line,
          test: testOf(line),
          outcome: isObject(line.outcome) ? outcomeOf(line.outcome) : undefined,
        }];
      case "end":
        return tasks.size === 0
          ? [line]
          : [{ type: "suite_ended", complete: false, reason: `${[...tasks.keys()]} did not end` }, line];
      default:
        return [line];
    }
  }

  const outcomeOf = ({ trace, ...outcome }: Line): Line =>
    typeof trace === "string" ? { ...outcome, ...javaFailure(trace, sources) } : outcome;

  return {
    push: (stream, text) =>
      stream !== "events" ? inner.push(stream, text) : text.split("\n").flatMap((one) => {
        const line = jsonIn(one);
        return isObject(line)
          ? linesOf(line).flatMap((each) => inner.push("events", JSON.stringify(each)))
          : inner.push("events", one);
      }),
    end: (exit) => inner.end(exit),
  };
}

/** Name as Gradle's filters take it, `demo.SumTest.adds`, within the task `:core:test`; the usual task of the root is left out. */
function testOf({ task, className, name }: Line) {
  const method = String(name).replace(/\(\)$/, "");
  const of = typeof className === "string" ? className : "";
  const title = of === "" || method === of ? method : `${of}.${method}`;
  return { name: title, ...(task === ":test" ? {} : { suite: String(task) }) };
}
