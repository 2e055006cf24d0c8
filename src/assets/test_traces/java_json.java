// JSON, for trace_java.java: the JDK has no library for it.
import java.util.*;

/** Reads a text, and makes texts. */
class Json {
  final String text;
  int at = 0;

  Json(String text) {
    this.text = text;
  }

  Object value() {
    char first = next();
    if (first == '{') {
      at++;
      Map<String, Object> members = new LinkedHashMap<>();
      while (next() != '}') {
        if (text.charAt(at) == ',') at++;
        next();
        String name = string();
        next();
        at++;
        members.put(name, value());
      }
      at++;
      return members;
    }
    if (first == '[') {
      at++;
      List<Object> items = new ArrayList<>();
      while (next() != ']') {
        if (text.charAt(at) == ',') at++;
        items.add(value());
      }
      at++;
      return items;
    }
    if (first == '"') return string();
    int from = at;
    while (at < text.length() && ",]} \n".indexOf(text.charAt(at)) < 0) at++;
    String word = text.substring(from, at);
    return word.equals("null") ? null : word.equals("true") ? true : word.equals("false") ? (Object) false : Double.valueOf(word);
  }

  /** The first character of what is next. */
  char next() {
    while (Character.isWhitespace(text.charAt(at))) at++;
    return text.charAt(at);
  }

  String string() {
    var found = new StringBuilder();
    for (at++; text.charAt(at) != '"'; at++) {
      char letter = text.charAt(at);
      if (letter != '\\') {
        found.append(letter);
        continue;
      }
      letter = text.charAt(++at);
      if (letter == 'u') {
        found.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16));
        at += 4;
      } else {
        int known = "bfnrt".indexOf(letter);
        found.append(known < 0 ? letter : "\b\f\n\r\t".charAt(known));
      }
    }
    at++;
    return found.toString();
  }

  static String text(String text) {
    var found = new StringBuilder("\"");
    for (char letter : text.toCharArray()) {
      if (letter == '"' || letter == '\\') found.append('\\').append(letter);
      else if (letter < ' ' || Character.isSurrogate(letter)) found.append(String.format("\\u%04x", (int) letter));
      else found.append(letter);
    }
    return found.append('"').toString();
  }

  static String texts(Map<String, String> texts) {
    var parts = new StringJoiner(",", "{", "}");
    texts.forEach((name, value) -> parts.add(text(name) + ":" + text(value)));
    return parts.toString();
  }
}
