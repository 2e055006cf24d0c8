import type { PreparedTool } from "./prepared_tools.ts";

/** Describes the tools of the mode `test`; loaded when they are asked for. */
export async function preparedTestTools(): Promise<readonly PreparedTool[]> {
  const [{ testTools }, { prepareTool }] = await Promise.all([
    import("../tools/test_tools.ts"),
    import("./prepare_tool.ts"),
  ]);
  return testTools.map(prepareTool);
}
