/**
 * Tells what JUnit's platform does: appends it to the events file, one JSON value a line. It is found on the class path
 * as any listener of the platform is.
 */
package pth;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

public final class TestListener implements TestExecutionListener {
    private static final int LIMIT = 32_000;
    /** Bytes of one test's output that are told. */
    private static final int MOST = 128 * 1024;

    private final String process = ManagementFactory.getRuntimeMXBean().getName();
    private final String base = System.getProperty("basedir", System.getProperty("user.dir"));
    private final Map<String, Output> running = new ConcurrentHashMap<>();
    /** Test that a thread belongs to, or the one that started it. */
    private final InheritableThreadLocal<Output> current = new InheritableThreadLocal<>();
    private FileOutputStream events;
    private TestPlan plan;
    private int plans;

    @Override
    public synchronized void testPlanExecutionStarted(TestPlan began) {
        if (events == null) {
            open();
            System.setOut(new PrintStream(new Copied(System.out), true));
            System.setErr(new PrintStream(new Copied(System.err), true));
        }
        plan = began;
        say("plan", ",\"id\":" + quote(process + " " + ++plans) + ",\"base\":" + quote(base));
    }

    @Override
    public synchronized void testPlanExecutionFinished(TestPlan ended) {
        say("plan_ended", ",\"id\":" + quote(process + " " + plans));
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        if (!test.isTest()) return;
        say("started", test(test));
        Output output = new Output(idOf(test));
        running.put(output.id, output);
        current.set(output);
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        String outcome = ",\"outcome\":{\"status\":\"skipped\",\"message\":" + quote(reason) + "}";
        int told = 0;
        for (TestIdentifier each : plan.getDescendants(test)) {
            if (!each.isTest()) continue;
            say("finished", test(each) + outcome);
            told++;
        }
        if (told == 0) say("finished", test(test) + outcome);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        String status = result.getStatus().name();
        if (!test.isTest() && status.equals("SUCCESSFUL")) return;
        Output output = running.remove(idOf(test));
        long ms = output == null ? 0 : (System.nanoTime() - output.began) / 1_000_000;
        Optional<Throwable> thrown = result.getThrowable();
        String said = thrown.isPresent() ? ",\"trace\":" + quote(traceOf(thrown.get())) : "";
        String word = status.equals("SUCCESSFUL") ? "passed" : status.equals("FAILED") ? "failed" : "skipped";
        say("finished", test(test) + ",\"outcome\":{\"status\":\"" + word + "\",\"durationMs\":" + ms + said + "}");
    }

    private String idOf(TestIdentifier test) {
        return process + " " + plans + " " + test.getUniqueId();
    }

    private String test(TestIdentifier test) {
        Object source = test.getSource().orElse(null);
        String code = source instanceof MethodSource
            ? ((MethodSource) source).getClassName() + "#" + ((MethodSource) source).getMethodName()
            : source instanceof ClassSource ? ((ClassSource) source).getClassName() : "";
        return ",\"id\":" + quote(idOf(test)) + ",\"base\":" + quote(base) + ",\"code\":" + quote(code)
            + ",\"unique\":" + quote(test.getUniqueId()) + ",\"title\":" + quote(test.getDisplayName());
    }

    private void open() {
        try {
            events = new FileOutputStream(System.getenv("PTH_TEST_EVENTS"), true);
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    private void say(String type, String rest) {
        byte[] line = ("{\"type\":\"" + type + "\"" + rest + "}\n").getBytes(StandardCharsets.UTF_8);
        try {
            events.write(line);
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    private static String traceOf(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    private static String quote(String long_) {
        String text = String.valueOf(long_);
        if (text.length() > LIMIT) {
            text = text.substring(0, LIMIT / 2) + "\n…\n" + text.substring(text.length() - LIMIT / 2);
        }
        StringBuilder quoted = new StringBuilder("\"");
        for (char each : text.toCharArray()) {
            if (each == '"' || each == '\\') quoted.append('\\').append(each);
            else if (each < 0x20 || Character.isSurrogate(each)) quoted.append(String.format("\\u%04x", (int) each));
            else quoted.append(each);
        }
        return quoted.append('"').toString();
    }

    private static final class Output {
        final String id;
        final long began = System.nanoTime();
        int told;

        Output(String id) {
            this.id = id;
        }
    }

    /** Hands on what is printed, and tells it of the test whose thread prints it. */
    private final class Copied extends OutputStream {
        private final PrintStream next;

        Copied(PrintStream next) {
            this.next = next;
        }

        @Override
        public void write(int one) {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) {
            next.write(bytes, from, length);
            Output output = current.get();
            if (output == null || !running.containsKey(output.id) || length == 0) return;
            int told = Math.min(length, MOST - output.told);
            if (told <= 0) return;
            output.told += told;
            String text = new String(bytes, from, told, Charset.defaultCharset());
            say("output", ",\"id\":" + quote(output.id) + ",\"text\":" + quote(text));
        }

        @Override
        public void flush() {
            next.flush();
        }
    }
}
