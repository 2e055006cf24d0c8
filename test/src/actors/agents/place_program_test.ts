import t from "tap";
import { placeProgram } from "../../../../src/actors/agents/place_program.ts";
import type { LiveEnvironment } from "../../../../src/actors/stores/environment_holder.ts";

/** An isolated environment that keeps which paths are there. */
function open() {
  const paths = new Set<string>();
  const copies: string[] = [];
  let release = () => {};
  const runtime = {
    name: "fake",
    abilities: { isolated: true },
    exec(_handle: unknown, [program, ...words]: string[]) {
      const [from, to] = words.slice(-2);
      if (program === "mv") {
        paths.delete(from!);
        paths.add(to!);
      }
      const code = program === "test" && !paths.has(to!) ? 1 : 0;
      return Promise.resolve({ code, stdout: "", stderr: "" });
    },
    async copyIn(_handle: unknown, from: string, to: string, signal: AbortSignal) {
      copies.push(from);
      await new Promise<void>((resolve) => release = resolve);
      signal.throwIfAborted();
      paths.add(to);
    },
  };
  const environment = { runtime, info: { handle: {} } } as unknown as LiveEnvironment;
  const place = (version: string, signal = new AbortController().signal) =>
    placeProgram(
      environment,
      "claude",
      { program: "/host/claude", root: "/host/claude", version },
      "/work/agent-1",
      signal,
    );
  return { place, copies, paths, release: () => release() };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

t.test("sessions that begin side by side bring the program in once", async (t) => {
  const { place, copies, paths, release } = open();
  const both = [place("1.2.3"), place("1.2.3")];
  await settle();
  release();
  const [first, second] = await Promise.all(both);
  t.strictSame(first, { program: "/work/agent-programs/claude-1.2.3/claude" });
  t.strictSame(second, first);
  t.strictSame(copies, ["/host/claude"]);
  t.strictSame([...paths], ["/work/agent-programs/claude-1.2.3/claude"]);
});

t.test("a session that is cancelled while it brings the program in leaves that to the next one", async (t) => {
  const { place, copies, release } = open();
  const stop = new AbortController();
  const cancelled = place("1.2.3", stop.signal);
  const next = place("1.2.3");
  await settle();
  stop.abort(new Error("enough"));
  release();
  await t.rejects(cancelled, { message: "enough" });
  await settle();
  release();
  t.match(await next, { program: "/work/agent-programs/claude-1.2.3/claude" });
  t.equal(copies.length, 2);
});
