// The calls of one JVM, for trace_java.java.
import com.sun.jdi.*;
import com.sun.jdi.event.*;
import com.sun.jdi.request.*;
import java.util.*;

/** One JVM: breakpoints where methods begin; their ends are only heard in the threads that are in one. */
class TracedMachine {
  static final class Call {
    String id;
    String name;
    Method method;
    int depth;
    MethodExitRequest exits;
  }

  final VirtualMachine machine;
  final EventRequestManager requests;
  final long started = System.nanoTime();
  /** Number of the JVM: the debugger's protocol has no process. */
  final int number = TraceCalls.machines.incrementAndGet();
  int methods = 0;
  final Map<String, Integer> calls = new HashMap<>();
  final Map<ThreadReference, Deque<Call>> stacks = new HashMap<>();
  final Map<ThreadReference, ExceptionRequest> exceptions = new HashMap<>();
  /** Texts of the latest exceptions. */
  final Map<ThreadReference, String> thrown = new HashMap<>();

  TracedMachine(VirtualMachine machine) {
    this.machine = machine;
    this.requests = machine.eventRequestManager();
  }

  void follow() {
    try {
      ClassPrepareRequest prepared = requests.createClassPrepareRequest();
      for (String other : TraceCalls.OTHERS) prepared.addClassExclusionFilter(other);
      prepared.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
      // The JVM waits until the event of its start is resumed, once; a second time would resume a thread whose class is prepared.
      prepared.enable();
      while (true) {
        EventSet set = machine.eventQueue().remove();
        for (Event event : set) hear(event);
        set.resume();
      }
    } catch (VMDisconnectedException | InterruptedException error) {
      TraceCalls.tellPatterns();
    } catch (RuntimeException error) {
      TraceCalls.note("Tracing of a JVM ended early: " + error);
      machine.dispose();
    }
  }

  void hear(Event event) {
    try {
      if (event instanceof ClassPrepareEvent one) begin(one.referenceType());
      else if (event instanceof BreakpointEvent one) begin(one);
      else if (event instanceof MethodExitEvent one) end(one);
      else if (event instanceof ExceptionEvent one) thrown(one);
    } catch (IncompatibleThreadStateException | AbsentInformationException | ObjectCollectedException error) {
      TraceCalls.note("A call was not followed: " + error);
    }
  }

  void begin(ReferenceType type) {
    if (TraceCalls.sourceOf(type) == null) return;
    for (Method method : type.methods()) {
      if (method.isAbstract() || method.isNative() || method.isSynthetic() || method.isStaticInitializer()) continue;
      String name = type.name() + "." + (method.isConstructor() ? "<init>" : method.name());
      boolean fits = false;
      for (TraceCalls.Wanted one : TraceCalls.patterns) {
        if (!one.source.matcher(name).find() && !one.source.matcher(name.replace('$', '.')).find()) continue;
        fits = true;
        synchronized (TraceCalls.class) {
          one.methods.add(name);
        }
      }
      synchronized (TraceCalls.class) {
        if (TraceCalls.seen.size() < TraceCalls.MOST_NAMES) TraceCalls.seen.add(name);
      }
      if (!fits || ++methods > TraceCalls.MOST_METHODS) continue;
      BreakpointRequest request = requests.createBreakpointRequest(method.location());
      request.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
      request.putProperty("name", name);
      request.enable();
    }
    if (methods > TraceCalls.MOST_METHODS) {
      TraceCalls.note("More than " + TraceCalls.MOST_METHODS + " functions fit: the others are not traced");
    }
  }

  void begin(BreakpointEvent event) throws IncompatibleThreadStateException, AbsentInformationException {
    ThreadReference thread = event.thread();
    Method method = event.location().method();
    String name = (String) event.request().getProperty("name");
    int depth = thread.frameCount();
    Deque<Call> stack = stacks.computeIfAbsent(thread, (key) -> new ArrayDeque<>());
    leave(thread, depth);
    Call outer = stack.peek();
    // A loop may begin there: the same call comes by again.
    if (outer != null && outer.depth == depth && outer.method.equals(method)) return;
    leave(thread, depth - 1);
    int count = calls.merge(name, 1, Integer::sum);
    if (count > TraceCalls.mostOfFunction || TraceCalls.written.get() >= TraceCalls.mostCalls) {
      requests.deleteEventRequest(event.request());
      if (count == TraceCalls.mostOfFunction + 1) {
        TraceCalls.write("{\"kind\":\"omitted\",\"function\":" + Json.text(name) + "}");
      }
      return;
    }
    StackFrame frame = thread.frame(0);
    var call = new Call();
    call.id = number + "." + TraceCalls.written.incrementAndGet();
    call.name = name;
    call.method = method;
    call.depth = depth;
    Map<String, String> arguments = new LinkedHashMap<>();
    if (frame.thisObject() != null && !method.isConstructor()) arguments.put("this", Values.text(frame.thisObject(), 0));
    List<Value> values = frame.getArgumentValues();
    List<String> names = namesOf(method, values.size());
    for (int at = 0; at < Math.min(values.size(), TraceCalls.MOST_ARGUMENTS); at++) {
      arguments.put(names.get(at), Values.text(values.get(at), 0));
    }
    String line = "{\"kind\":\"call\",\"id\":" + Json.text(call.id) + ",\"function\":" + Json.text(name) + ",\"pid\":" + number;
    line += ",\"thread\":" + Json.text(thread.name()) + ",\"at\":" + now() + ",\"arguments\":" + Json.texts(arguments);
    if (stack.peek() != null) line += ",\"parent\":" + Json.text(stack.peek().id);
    if (depth > 1) {
      Location caller = thread.frame(1).location();
      String source = TraceCalls.sourceOf(caller.declaringType());
      String file = source == null ? caller.declaringType().name() : source;
      line += ",\"calledAt\":" + Json.text(file + ":" + caller.lineNumber());
    }
    TraceCalls.write(line + watched(name, frame) + "}");
    stack.push(call);
    call.exits = requests.createMethodExitRequest();
    call.exits.addThreadFilter(thread);
    call.exits.addClassFilter(method.declaringType());
    call.exits.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
    call.exits.enable();
    if (!exceptions.containsKey(thread)) {
      ExceptionRequest request = requests.createExceptionRequest(null, true, true);
      request.addThreadFilter(thread);
      request.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
      request.enable();
      exceptions.put(thread, request);
    }
  }

  void end(MethodExitEvent event) throws IncompatibleThreadStateException, AbsentInformationException {
    ThreadReference thread = event.thread();
    leave(thread, thread.frameCount());
    Call call = stacks.getOrDefault(thread, new ArrayDeque<>()).peek();
    // Each of the requests that are open for that class hears of it.
    if (call == null || !call.method.equals(event.method()) || call.depth != thread.frameCount()) return;
    boolean isVoid = event.method().returnTypeName().equals("void");
    String returned = isVoid ? "" : ",\"returned\":" + Json.text(Values.text(event.returnValue(), 0));
    close(thread, returned + watched(call.name, thread.frame(0)));
  }

  void thrown(ExceptionEvent event) throws IncompatibleThreadStateException {
    ThreadReference thread = event.thread();
    thrown.put(thread, Values.text(event.exception(), 0));
    // Where a method calls itself, it may be farther out: what was left then is seen at the next return.
    int caught = 0;
    if (event.catchLocation() != null) {
      List<StackFrame> frames = thread.frames();
      for (int at = 0; at < frames.size() && caught == 0; at++) {
        if (frames.get(at).location().method().equals(event.catchLocation().method())) caught = frames.size() - at;
      }
    }
    leave(thread, caught);
  }

  /** Ends calls that are deeper: an exception has left them. */
  void leave(ThreadReference thread, int depth) {
    Deque<Call> stack = stacks.get(thread);
    String why = thrown.getOrDefault(thread, "left by an exception");
    while (stack != null && !stack.isEmpty() && stack.peek().depth > depth) close(thread, ",\"raised\":" + Json.text(why));
  }

  void close(ThreadReference thread, String outcome) {
    Call call = stacks.get(thread).pop();
    TraceCalls.write("{\"kind\":\"end\",\"id\":" + Json.text(call.id) + ",\"at\":" + now() + outcome + "}");
    requests.deleteEventRequest(call.exits);
    if (stacks.get(thread).isEmpty()) {
      ExceptionRequest request = exceptions.remove(thread);
      if (request != null) requests.deleteEventRequest(request);
      stacks.remove(thread);
      thrown.remove(thread);
    }
  }

  double now() {
    return (System.nanoTime() - started) / 1e6;
  }

  static List<String> namesOf(Method method, int count) {
    List<String> names = new ArrayList<>();
    try {
      for (LocalVariable one : method.arguments()) names.add(one.name());
    } catch (AbsentInformationException error) {
      // Compiled without -g.
    }
    while (names.size() < count) names.add("argument" + (names.size() + 1));
    return names;
  }

  /** Variables, fields of the object or static ones of the class, and fields of these: count, state.depth. */
  static String watched(String name, StackFrame frame) {
    Map<String, String> found = new LinkedHashMap<>();
    for (TraceCalls.Watch watch : TraceCalls.watches) {
      if (watch.sources != null && watch.sources.stream().noneMatch((source) -> source.matcher(name).find())) continue;
      String[] parts = watch.variable.split("\\.");
      Value value = variable(frame, parts[0]);
      boolean isFound = value != null;
      for (int at = 1; at < parts.length && isFound; at++) {
        Field field = value instanceof ObjectReference object ? object.referenceType().fieldByName(parts[at]) : null;
        isFound = field != null;
        if (isFound) value = ((ObjectReference) value).getValue(field);
      }
      if (isFound) found.put(watch.variable, Values.text(value, 0));
    }
    return found.isEmpty() ? "" : ",\"watched\":" + Json.texts(found);
  }

  static Value variable(StackFrame frame, String name) {
    try {
      LocalVariable local = frame.visibleVariableByName(name);
      if (local != null) return frame.getValue(local);
    } catch (AbsentInformationException error) {
      // Its fields may be there.
    }
    ReferenceType type = frame.location().declaringType();
    Field field = type.fieldByName(name);
    if (field == null) return null;
    if (field.isStatic()) return type.getValue(field);
    return frame.thisObject() == null ? null : frame.thisObject().getValue(field);
  }
}
