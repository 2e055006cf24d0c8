import type { PreparedTool } from "./prepared_tools.ts";

/** Describes the one tool of the mode `test`; loaded when it is asked for. */
export async function preparedTestTools(): Promise<readonly PreparedTool[]> {
  const [{ debugTest }, { prepareTool }] = await Promise.all([
    import("../tools/debug_test_tool.ts"),
    import("./prepare_tool.ts"),
  ]);
  return [prepareTool(debugTest)];
}
