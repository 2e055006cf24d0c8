// Traces calls of methods that fit the patterns of trace_request.json, in every JVM that the tests start: each connects to this
// debugger when it begins. java TraceCalls FOLDER, where the request is; the address to connect to is written there.
import com.sun.jdi.*;
import com.sun.jdi.connect.*;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.*;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

class TraceCalls {
  static final int MOST_METHODS = 200;
  static final int MOST_NAMES = 5000;
  static final int MOST_SOURCES = 50_000;
  static final int MOST_ARGUMENTS = 12;
  static final String[] OTHERS = {
    "java.*", "javax.*", "jdk.*", "sun.*", "com.sun.*", "org.apache.maven.*", "org.gradle.*", "org.junit.*", "org.codehaus.*"
  };

  static final class Wanted {
    String pattern;
    Pattern source;
    final Set<String> methods = new LinkedHashSet<>();
  }

  static final class Watch {
    String variable;
    List<Pattern> sources;
  }

  static String root;
  static int mostOfFunction;
  static int mostCalls;
  static final List<Wanted> patterns = new ArrayList<>();
  static final List<Watch> watches = new ArrayList<>();
  static final Map<String, List<String>> sources = new HashMap<>();
  static final Set<String> seen = new LinkedHashSet<>();
  static final AtomicInteger machines = new AtomicInteger();
  static final AtomicInteger written = new AtomicInteger();
  static OutputStream output;

  @SuppressWarnings("unchecked")
  public static void main(String[] given) throws Exception {
    Path folder = Path.of(given[0]);
    var request = (Map<String, Object>) new Json(Files.readString(folder.resolve("trace_request.json"))).value();
    root = (String) request.get("root");
    mostOfFunction = ((Double) request.get("mostOfFunction")).intValue();
    mostCalls = ((Double) request.get("mostCalls")).intValue();
    output = new FileOutputStream((String) request.get("output"), true);
    for (Object one : (List<Object>) request.get("patterns")) {
      var wanted = new Wanted();
      wanted.pattern = (String) ((Map<String, Object>) one).get("pattern");
      wanted.source = Pattern.compile((String) ((Map<String, Object>) one).get("source"));
      patterns.add(wanted);
    }
    for (Object one : (List<Object>) request.get("watches")) {
      var watch = new Watch();
      watch.variable = (String) ((Map<String, Object>) one).get("variable");
      var on = (List<Object>) ((Map<String, Object>) one).get("sources");
      if (on != null) watch.sources = on.stream().map((source) -> Pattern.compile((String) source)).toList();
      watches.add(watch);
    }
    findSources();
    Runtime.getRuntime().addShutdownHook(new Thread(TraceCalls::tellPatterns));
    ListeningConnector connector = Bootstrap.virtualMachineManager().listeningConnectors().stream()
      .filter((one) -> one.transport().name().equals("dt_socket")).findFirst().orElseThrow();
    var arguments = connector.defaultArguments();
    arguments.get("localAddress").setValue("127.0.0.1");
    arguments.get("port").setValue("0");
    String address = connector.startListening(arguments);
    Path told = folder.resolve("trace_java.address");
    Files.writeString(folder.resolve("trace_java.part"), "127.0.0.1" + address.substring(address.lastIndexOf(':')));
    Files.move(folder.resolve("trace_java.part"), told, StandardCopyOption.ATOMIC_MOVE);
    while (true) {
      VirtualMachine machine = connector.accept(arguments);
      var thread = new Thread(() -> new TracedMachine(machine).follow());
      thread.setDaemon(true);
      thread.start();
    }
  }

  /** Sources of the project by the names of their files: classes are the project's own where their source is. */
  static void findSources() throws IOException {
    var skipped = Set.of("node_modules", "target", "build", ".git", ".gradle");
    Files.walkFileTree(Path.of(root), new SimpleFileVisitor<>() {
      int found = 0;
      @Override public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes about) {
        boolean isSkipped = skipped.contains(String.valueOf(folder.getFileName()));
        return isSkipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
      }
      @Override public FileVisitResult visitFile(Path file, BasicFileAttributes about) {
        String name = file.getFileName().toString();
        if (name.matches(".*\\.(java|kt|groovy|scala)")) {
          sources.computeIfAbsent(name, (key) -> new ArrayList<>()).add(Path.of(root).relativize(file).toString());
          found++;
        }
        return found < MOST_SOURCES ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
      }
      @Override public FileVisitResult visitFileFailed(Path file, IOException error) {
        return FileVisitResult.CONTINUE;
      }
    });
  }

  /** Path of a class's source, relative to the project's folder; null for one that is not of the project. */
  static String sourceOf(ReferenceType type) {
    try {
      String path = type.sourcePaths(null).get(0);
      List<String> found = sources.getOrDefault(type.sourceName(), List.of());
      for (String one : found) if (one.equals(path) || one.endsWith("/" + path)) return one;
      // Kotlin's folders need not be those of its packages.
      return type.sourceName().endsWith(".kt") && found.size() == 1 ? found.get(0) : null;
    } catch (AbsentInformationException error) {
      return null;
    }
  }

  static synchronized void tellPatterns() {
    for (Wanted one : patterns) {
      var line = new StringBuilder("{\"kind\":\"pattern\",\"pattern\":" + Json.text(one.pattern));
      line.append(",\"functions\":" + one.methods.size() + ",\"near\":[");
      if (one.methods.isEmpty()) {
        String wanted = last(one.pattern).toLowerCase();
        List<String> near = seen.stream()
          .filter((name) -> distance(wanted, last(name).toLowerCase()) <= Math.max(2, wanted.length() / 3)).limit(5).toList();
        line.append(String.join(",", near.stream().map(Json::text).toList()));
      }
      write(line + "]}");
    }
  }

  static String last(String name) {
    String[] parts = name.split("::|\\.");
    return parts.length == 0 ? name : parts[parts.length - 1];
  }

  static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int at = 0; at < row.length; at++) row[at] = at;
    for (int i = 1; i <= a.length(); i++) {
      int before = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int above = row[j];
        row[j] = Math.min(Math.min(row[j], row[j - 1]) + 1, before + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1));
        before = above;
      }
    }
    return row[b.length()];
  }

  static synchronized void write(String line) {
    try {
      output.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  static void note(String text) {
    write("{\"kind\":\"note\",\"text\":" + Json.text(text) + "}");
  }
}
