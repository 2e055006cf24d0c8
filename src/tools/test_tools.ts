/** Tools of `pth mcp --tools test`, which need no session. */
import { debugQuery } from "./debug_query_tool.ts";
import { debugTest } from "./debug_test_tool.ts";
import type { RegisteredTool } from "./tool.ts";

export const testTools: readonly RegisteredTool[] = [debugTest, debugQuery];
