import t from "tap";
import { PthError } from "../../../../src/core/errors.ts";
import { machineLayout } from "../../../../src/visualizer/chart/machine_chart.ts";
import { toPng } from "../../../../src/visualizer/chart/to_png.ts";

const laidOut = await machineLayout("harness");

/** Width and height, as a PNG's header tells them. */
function sizeOf(png: Uint8Array): [number, number] {
  const view = new DataView(png.buffer, png.byteOffset);
  return [view.getUint32(16), view.getUint32(20)];
}

t.test("a chart as PNG is as large as asked for", async (t) => {
  const png = await toPng(laidOut, { scale: 1.5 }).catch((error: unknown) => {
    if (error instanceof PthError && error.code === "UNSUPPORTED") return undefined;
    throw error;
  });
  if (png === undefined) return void t.comment("this host has no font: only the refusal is tested");
  t.strictSame([...png.subarray(1, 4)].map((code) => String.fromCharCode(code)).join(""), "PNG");
  const [width, height] = sizeOf(png);
  t.ok(
    Math.abs(width - (laidOut.width + 12) * 1.5) <= 1 && Math.abs(height - (laidOut.height + 12) * 1.5) <= 1,
  );
  const dark = await toPng(laidOut, { scale: 1.5, theme: "dark" });
  t.notSame(png, dark, "themes differ");
});

t.test("without a font it is refused, instead of a picture without texts", async (t) => {
  await t.rejects(toPng(laidOut, { font: { loadSystemFonts: false } }), {
    code: "UNSUPPORTED",
    message: "Cannot draw harness as PNG: no font is installed",
  });
});
