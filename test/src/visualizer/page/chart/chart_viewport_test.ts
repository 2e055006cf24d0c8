/// <reference lib="dom" />
import t from "tap";
import { type ChartViewport, dragViewport } from "../../../../../src/visualizer/page/chart/chart_viewport.ts";

/** A frame without a browser: what was done to it. */
function pressed() {
  const element = Object.assign(new EventTarget(), {
    classList: { add: () => {}, remove: () => {} },
    setPointerCapture: () => {},
  });
  const done: string[] = [];
  const size = { width: 100, height: 100 };
  const frame: ChartViewport = {
    view: () => ({ x: 0, y: 0, scale: 1 }),
    move: ({ x, y }) => void done.push(`moved to ${x} ${y}`),
    picture: () => size,
    size: () => size,
  };
  const event = (type: string, at: { clientX: number; clientY: number; buttons: number }) =>
    Object.assign(new Event(type), { pointerId: 1, ...at }) as PointerEvent;
  const start = event("pointerdown", { clientX: 50, clientY: 50, buttons: 1 });
  dragViewport(frame, element as unknown as HTMLElement, start, () => void done.push("clicked"));
  const send = (type: string, clientX: number, buttons: number) =>
    element.dispatchEvent(event(type, { clientX, clientY: 50, buttons }));
  return { done, send };
}

t.test("a press that moves drags the picture, and is no click", (t) => {
  const { done, send } = pressed();
  send("pointermove", 60, 1);
  send("pointerup", 60, 0);
  send("pointermove", 90, 0);
  t.same(done, ["moved to 10 0"]);
  t.end();
});

t.test("a press that hardly moves is a click", (t) => {
  const { done, send } = pressed();
  send("pointermove", 52, 1);
  send("pointerup", 52, 0);
  t.same(done, ["clicked"]);
  t.end();
});

t.test("a press that was let go outside of the frame does not drag when the pointer comes back", (t) => {
  const { done, send } = pressed();
  send("pointermove", 70, 0);
  send("pointermove", 90, 0);
  t.same(done, []);
  t.end();
});
