import t from "tap";
import { provideTools } from "../../../../src/testing/coverage/rust/provide_tools.ts";

/** A site whose shell answers this; `asked` gets the words after the script. */
function site(answer: { code: number; stdout: string }, isolated: boolean, asked: string[] = []) {
  return {
    folder: "/data",
    plugin: "/plugin",
    source: "/plugin",
    isolated,
    spawn: () => Promise.reject(new Error("nothing is started here")),
    exec: (command: string[]) => {
      asked.push(...command.slice(4));
      return Promise.resolve({ ...answer, signal: null, stderr: "told", truncated: false, durationMs: 1 });
    },
  };
}

t.test("a compiler that can count is told to; one that cannot is given clang's runtime", async (t) => {
  const own = await provideTools(site({ code: 0, stdout: "/tools\nrustc\n" }, true));
  t.equal(own.folder, "/tools");
  t.strictSame(Object.keys(own.variables), ["RUSTFLAGS"]);
  t.match(own.variables.RUSTFLAGS, /-C instrument-coverage/);
  const foreign = await provideTools(site({ code: 0, stdout: "/tools\n/lib/profile.a\n" }, true));
  t.match(foreign.variables, { RUSTC_BOOTSTRAP: "1", RUSTFLAGS: /-C link-arg=\/lib\/profile\.a/ });
});

t.test("without LLVM's tools Rust is not measured, and on the host nothing is installed", async (t) => {
  const asked: string[] = [];
  await t.rejects(provideTools(site({ code: 1, stdout: "" }, false, asked)), {
    code: "UNSUPPORTED",
    message: /llvm-cov/,
  });
  t.strictSame(asked, ["host"]);
});
