/** Tools of a test session that answer without being run. */
import { isObject } from "../core/values.ts";
import type { PiContent, PiTool, PiToolResult } from "./pi_module.ts";

/** Result of a mocked tool: a text, or content as pi's tools give it. An error that is thrown is the tool's error. */
export type MockedResult = string | { content: PiContent[]; details?: unknown };

/** Mocked tools by their names: the result, or a function of the call's input. */
export type ToolMocks = Record<
  string,
  MockedResult | ((input: Record<string, unknown>) => MockedResult | Promise<MockedResult>)
>;

/** Replaces the work of tools by their mocks, also of tools that are registered later: each once, when it is called. */
export function mockTools(mocks: ToolMocks): (tool: PiTool | undefined) => void {
  const mocked = new WeakSet<PiTool>();
  return (tool) => {
    if (tool === undefined || !Object.hasOwn(mocks, tool.name) || mocked.has(tool)) return;
    const mock = mocks[tool.name]!;
    mocked.add(tool);
    tool.execute = async (_, input) =>
      toResult(typeof mock === "function" ? await mock(isObject(input) ? input : {}) : mock);
  };
}

const toResult = (result: MockedResult): PiToolResult =>
  typeof result === "string"
    ? { content: [{ type: "text", text: result }], details: {} }
    : { details: {}, ...result };
