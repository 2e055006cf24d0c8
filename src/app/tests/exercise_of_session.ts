/** Account of the plugin's tools by the latest results of the session's tests. */
import type { ToolExercise } from "../../../machines/model/tool_exercise.ts";
import { exerciseOfTools } from "../../testing/exercise/exercise_of_tools.ts";
import { pluginInfo } from "../plugin/plugin_status.ts";
import type { SessionParts } from "../session/session_parts.ts";

/** Undefined before the plugin is loaded. */
export function exerciseOfSession(context: SessionParts): ToolExercise[] | undefined {
  const plugin = pluginInfo(context);
  if (plugin === undefined) return undefined;
  const { tests: { all: tests, heldBack }, results } = context;
  return exerciseOfTools({
    tools: plugin.tools.map(({ name }) => name),
    tests,
    results: [...results.latest.values()],
    heldBack,
  });
}
