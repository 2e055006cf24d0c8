// Texts of values, for trace_java.java.
import com.sun.jdi.*;
import java.util.*;

/** Short texts of values, from their fields alone: no method of the program is called. */
class Values {
  static final int MOST_TEXT = 200;
  static final int MOST_ITEMS = 10;
  static final int DEEPEST = 3;

  static String text(Value value, int depth) {
    if (value == null) return "null";
    if (value instanceof StringReference string) return Json.text(cut(string.value()));
    if (value instanceof CharValue character) return "'" + character.value() + "'";
    if (!(value instanceof ObjectReference object)) return value.toString();
    if (value instanceof ArrayReference array) return list(array, array.length(), depth);
    ReferenceType type = object.referenceType();
    String name = type.name();
    if (name.matches("java\\.lang\\.(Integer|Long|Short|Byte|Character|Boolean|Float|Double)")) {
      return text(field(object, "value"), depth);
    }
    if (name.equals("java.util.ArrayList") && field(object, "elementData") instanceof ArrayReference array) {
      return list(array, ((IntegerValue) field(object, "size")).value(), depth);
    }
    if (name.equals("java.util.Arrays$ArrayList") && field(object, "a") instanceof ArrayReference array) {
      return list(array, array.length(), depth);
    }
    if (name.equals("java.util.ImmutableCollections$ListN") && field(object, "elements") instanceof ArrayReference array) {
      return list(array, array.length(), depth);
    }
    if (name.equals("java.util.ImmutableCollections$List12")) {
      Value second = field(object, "e1");
      boolean isOne = second == null || second.type().name().equals("java.lang.Object");
      return "[" + text(field(object, "e0"), depth + 1) + (isOne ? "" : ", " + text(second, depth + 1)) + "]";
    }
    if (name.equals("java.util.Optional")) return "Optional(" + text(field(object, "value"), depth + 1) + ")";
    if (type instanceof ClassType one && one.isEnum()) return cut(String.valueOf(plain(field(object, "name"))));
    String simple = name.substring(name.lastIndexOf('.') + 1);
    if (type instanceof ClassType one && isThrowable(one)) {
      Value message = field(object, "detailMessage");
      return name + (message instanceof StringReference string ? ": " + cut(string.value()) : "");
    }
    Value size = name.startsWith("java.util.") ? field(object, "size") : null;
    if (size != null) return simple + " with " + size + " entries";
    if (depth >= DEEPEST || name.startsWith("java.")) return simple;
    var parts = new StringJoiner(", ", simple + "{", "}");
    int shown = 0;
    for (Field field : type.allFields()) {
      if (field.isStatic() || field.isSynthetic()) continue;
      if (shown++ >= MOST_ITEMS) {
        parts.add("…");
        break;
      }
      parts.add(field.name() + "=" + text(object.getValue(field), depth + 1));
    }
    return parts.toString();
  }

  static String list(ArrayReference array, int length, int depth) {
    if (depth >= DEEPEST) return "[…]";
    var parts = new StringJoiner(", ", "[", "]");
    int shown = Math.min(length, MOST_ITEMS);
    if (shown > 0) for (Value one : array.getValues(0, shown)) parts.add(text(one, depth + 1));
    if (length > shown) parts.add("… " + length);
    return parts.toString();
  }

  static Value field(ObjectReference object, String name) {
    Field field = object.referenceType().fieldByName(name);
    return field == null ? null : object.getValue(field);
  }

  static String plain(Value value) {
    return value instanceof StringReference string ? string.value() : String.valueOf(value);
  }

  static boolean isThrowable(ClassType type) {
    for (ClassType one = type; one != null; one = one.superclass()) if (one.name().equals("java.lang.Throwable")) return true;
    return false;
  }

  static String cut(String text) {
    return text.length() <= MOST_TEXT ? text : text.substring(0, MOST_TEXT) + "…";
  }
}
