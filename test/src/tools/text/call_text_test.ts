import t from "tap";
import type { CallOutcome } from "../../../../machines/model/plugin.ts";
import { callText } from "../../../../src/tools/text/call_text.ts";

const outcome: CallOutcome = {
  kind: "result",
  raw: {},
  text: "",
  isError: false,
  violations: [],
  durationMs: 1,
};

t.test("structured content is told once, though the text may repeat it", (t) => {
  const structuredContent = { total: 3 };
  const repeated = callText("sum", { ...outcome, text: '{\n  "total": 3\n}', structuredContent }, false);
  t.equal(repeated, 'sum answered success after 1 ms:\n{\n  "total": 3\n}');
  const apart = callText("sum", { ...outcome, text: "three", structuredContent }, false);
  t.equal(apart, 'sum answered success after 1 ms:\nthree\nStructured: {"total":3}');
  t.end();
});

t.test("what is no text is named by its kind and size", (t) => {
  const content = [
    { type: "text", text: "see" },
    { type: "image", mimeType: "image/png", data: "AAAA" },
    { type: "resource_link", uri: "file:///a" },
    null,
  ];
  t.equal(
    callText("draw", { ...outcome, text: "see", content }, false),
    "draw answered success after 1 ms:\nsee\n(image, image/png, 4 characters of base64)\n(resource_link, file:///a)",
  );
  t.end();
});

t.test("the data of an error is told, cut unless all is wanted", (t) => {
  const data = { why: "x".repeat(5000) };
  const failed: CallOutcome = { ...outcome, kind: "rpc_error", code: -32602, isError: true, text: "bad" };
  const short = callText("sum", { ...failed, raw: { code: -32602, message: "bad", data } }, false);
  t.match(
    short,
    /^sum answered JSON-RPC error -32602 after 1 ms:\nbad\nData of the error: \{"why":"x+\n… \d+ characters left out/,
  );
  t.ok(short.length < 2000);
  t.ok(callText("sum", { ...failed, raw: { data } }, true).length > 5000);
  t.end();
});
