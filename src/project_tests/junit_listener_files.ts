/** Files that build the listener of JUnit's platform where tests run: PTH ships no classes, and the JDK there compiles it. */
import { assetText } from "../platform/asset_text.ts";

const platform = "org.junit.platform";

/** Types of the platform as far as the listener uses them: the tests' own are there only once they run. */
const types: Record<string, string> = {
  "launcher.TestPlan": `class TestPlan {
  public native java.util.Set<TestIdentifier> getDescendants(TestIdentifier parent);
}`,
  "launcher.TestIdentifier": `class TestIdentifier {
  public native boolean isTest();
  public native String getUniqueId();
  public native String getDisplayName();
  public native java.util.Optional<${platform}.engine.TestSource> getSource();
}`,
  "launcher.TestExecutionListener": `interface TestExecutionListener {
  default void testPlanExecutionStarted(TestPlan plan) {}
  default void testPlanExecutionFinished(TestPlan plan) {}
  default void executionStarted(TestIdentifier test) {}
  default void executionSkipped(TestIdentifier test, String reason) {}
  default void executionFinished(TestIdentifier test, ${platform}.engine.TestExecutionResult result) {}
}`,
  "engine.TestSource": "interface TestSource {}",
  "engine.TestExecutionResult": `class TestExecutionResult {
  public enum Status { SUCCESSFUL, ABORTED, FAILED }
  public native Status getStatus();
  public native java.util.Optional<Throwable> getThrowable();
}`,
  "engine.support.descriptor.ClassSource": `class ClassSource implements ${platform}.engine.TestSource {
  public native String getClassName();
}`,
  "engine.support.descriptor.MethodSource": `class MethodSource implements ${platform}.engine.TestSource {
  public native String getClassName();
  public native String getMethodName();
}`,
};

/** Without a compiler, or with one that fails, there is no listener. Runs of Java 8 take what is compiled for it. */
const build = `cd "$1" || exit
bin=\${JAVA_HOME:+$JAVA_HOME/bin/}
mkdir -p built
for target in "--release 8" "-source 8 -target 8"; do
  "\${bin}javac" $target -nowarn -proc:none -encoding UTF-8 -sourcepath types -d built pth/TestListener.java && break
done
[ -f built/pth/TestListener.class ] || exit 0
mkdir -p classes && mv built/pth classes/ && mv services classes/META-INF
`;

/** Files of a plan; `build_listener.sh SCRATCH` makes the folder `classes` of them, for the tests' class path. */
export const junitListenerFiles = (): Record<string, string> => ({
  "build_listener.sh": build,
  "pth/TestListener.java": assetText("project_tests/junit_listener.java"),
  [`services/services/${platform}.launcher.TestExecutionListener`]: "pth.TestListener\n",
  ...Object.fromEntries(
    Object.entries(types).map(([name, text]) => {
      const parts = `${platform}.${name}`.split(".");
      return [`types/${parts.join("/")}.java`, `package ${parts.slice(0, -1).join(".")};\npublic ${text}\n`];
    }),
  ),
});
