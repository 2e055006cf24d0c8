"""Calls of Rust, C and C++, for trace_gdb.py: breakpoints at functions and at the returns of their calls."""
import os
import re
import resource
import select
import signal

import gdb
from gdb_tracing import LEFT, Leaving, MOST_ARGUMENTS, is_followed, quiet, symbols_of, watched, write, write_call, write_end

PLAIN = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_FLT, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_ENUM)
told_unprintable = set()
languages = {}
stacks = {}
open_ends = {}
"""Ends that were met. gdb only disables them, and grows slower with each; they cannot be deleted before the next stop."""
met = []
MOST_MET = 20


if os.uname().machine == "x86_64":
    Leaving("_exit", "(int)$edi")


def is_rust():
    if "rust" not in languages:
        languages["rust"] = "alloc::string::String" in quiet("info types -q ^alloc::string::String$")
    return languages["rust"]


def text_of(value, returned=False):
    try:
        if value.type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            value = value.referenced_value()
        if value.type.code == gdb.TYPE_CODE_PTR and value.type.target().strip_typedefs().code == gdb.TYPE_CODE_STRUCT and value:
            return "&" + text_of(value.dereference()) if is_rust() else pointed_at(value)
        if not is_rust() or value.type.code in PLAIN:
            return formatted(value)
        kind = str(value.type)
        # Rust returns what fits into two registers by rules of its own, which gdb does not know.
        if returned and value.type.sizeof <= 16 and kind != "&str":
            return "<%s>" % kind[:100]
        return variant_of(kind, value) if has_variants(value.type) else apart(kind, lambda: formatted(value)) or unprintable(kind)
    except (gdb.error, UnicodeError, RuntimeError) as error:
        return "<%s>" % error


def pointed_at(value):
    try:
        return "&" + formatted(value.dereference())
    except (gdb.error, UnicodeError, RuntimeError):
        return formatted(value)  # it points nowhere, or to what has no value yet


def formatted(value):
    return value.format_string(max_elements=40, max_depth=3)[:400]


def has_variants(kind):
    """The discriminant is a field without a name."""
    fields = kind.fields() if kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION) else []
    return len(fields) > 1 and fields[0].name is None


def variant_of(kind, value):
    """gdb 13 knows which variant a value is, and prints the fields of another one, or ends itself."""
    variants = {field.name: field for field in value.type.fields() if field.name is not None}
    whole = apart(kind, lambda: formatted(value))
    if whole is None:
        with_fields = [name for name, field in variants.items() if len(field.type.fields()) > 0]
        if len(with_fields) != 1:
            return unprintable(kind)
        name = with_fields[0]
    else:
        found = re.search(r"::(\w+)(?:[ ({]|$)", whole[len(kind):])
        name = found.group(1) if whole.startswith(kind) and found else None
        if name not in variants:
            return unprintable(kind)
    field = variants[name]
    if len(field.type.fields()) == 0:
        return name
    text = apart(kind, lambda: formatted(value[field]))
    return unprintable(kind) if text is None else re.sub(r"^.*?::%s\b ?" % name, name, text, count=1)


def unprintable(kind):
    if kind not in told_unprintable:
        told_unprintable.add(kind)
        write(kind="note", text="This gdb cannot print values of the type %s" % kind[:200])
    return "<%s>" % kind[:100]


def apart(kind, work):
    """Answers what `work` does in a process of its own, as gdb 13 ends itself at some values of Rust; None if it did."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            text = work()
        except BaseException as error:
            text = "<%s>" % error
        os.write(writer, text.encode("utf-8", "replace"))
        os._exit(0)
    os.close(writer)
    ready, _, _ = select.select([reader], [], [], 2)
    text = os.read(reader, 4096).decode("utf-8", "replace") if ready else ""
    os.close(reader)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return text or None


def thread_key():
    return gdb.selected_thread().ptid


class End(gdb.FinishBreakpoint):
    def __init__(self, frame, name, call):
        super().__init__(frame, internal=True)
        self.silent = True
        self.function_name, self.call, self.thread_key = name, call, thread_key()
        open_ends[call] = self

    def finished(self, **outcome):
        met.append(self)
        open_ends.pop(self.call, None)
        stack = stacks.get(thread_key(), [])
        if self.call not in stack:
            return
        index = stack.index(self.call)
        for call in stack[index + 1:]:
            open_ends.pop(call, None)
            write_end(call, raised=LEFT)
        del stack[index:]
        write_end(self.call, **outcome, **watched(self.function_name, text_of))

    def stop(self):
        self.finished(**({} if self.return_value is None else {"returned": text_of(self.return_value, returned=True)}))
        return False

    def out_of_scope(self):
        self.finished(raised=LEFT)


class Begin(gdb.Breakpoint):
    def __init__(self, full, name):
        # Without `qualified`, functions of the same name in other namespaces fit, too.
        super().__init__(function=full, internal=True, qualified=True)
        self.silent = True
        self.function_name, self.is_hot = name, False

    def stop(self):
        """True where the program has to stop: once it was called too often, or when there is something to delete."""
        self.is_hot = not is_followed(self.function_name)
        if self.is_hot:
            return True
        frame, thread = gdb.newest_frame(), gdb.selected_thread()
        stack = stacks.setdefault(thread_key(), [])
        call = write_call(
            self.function_name, frame, thread.name or str(thread.ptid[1]), stack[-1] if stack else None,
            arguments=self.arguments(frame), **watched(self.function_name, text_of),
        )
        try:
            End(frame, self.function_name, call)
            stack.append(call)
        except (ValueError, gdb.error):
            pass  # the outermost frame has no caller to return to
        return len(met) > MOST_MET

    def arguments(self, frame):
        arguments = {}
        try:
            for symbol in symbols_of(frame):
                if symbol.is_argument and len(arguments) < MOST_ARGUMENTS:
                    value = symbol.value(frame)
                    # What a constructor makes has no value yet.
                    is_made = symbol.name == "this" and re.search(r"(\w+)::\1$", self.function_name)
                    arguments[symbol.name] = formatted(value) if is_made else text_of(value)
        except (gdb.error, RuntimeError):
            pass  # there is no debug information for it
        return arguments

    def remove(self):
        """Removes what it placed, but for the return of a call that is the only one under way in its thread."""
        self.delete()
        own = [(call, end) for call, end in open_ends.items() if end.function_name == self.function_name]
        threads = [end.thread_key for _, end in own]
        for call, end in own:
            if threads.count(end.thread_key) > 1:
                del open_ends[call]
                end.delete()


def clear():
    """Deletes what cannot be deleted while the program runs."""
    for end in met:
        if end.is_valid():
            end.delete()
    met.clear()


def split_signature(signature):
    """Name in a signature as gdb lists it, with its type parameters; None for one that cannot be read."""
    text = signature.replace("(anonymous namespace)", "\0" * 21).replace("->", "\1\1")
    operator = re.search(r"\boperator\b ?(?:\(\)|[^\w\s(]+|[^(]+)(?=\()", text)
    end, depth = operator.end() if operator else len(text), 0
    for index in range(0 if operator else len(text)):
        depth += {"<": 1, ">": -1}.get(text[index], 0)
        if text[index] == "(" and depth == 0:
            end = index
            break
    start, depth = operator.start() if operator else end, 0
    while start > 0:
        depth += {">": 1, "<": -1}.get(text[start - 1], 0)
        if depth == 0 and text[start - 1] in " *&":
            break
        start -= 1
    name = signature[start:end]
    return name if end < len(text) and re.match(r"[A-Za-z_~({]", name) else None


def without_parameters(name):
    """`app::Box<int>::get` is `app::Box::get`, as people write it."""
    before, operator, after = name.replace("->", "  ").partition("operator")
    kept, depth = "", 0
    for letter in before:
        depth += letter == "<"
        if depth == 0:
            kept += letter
        depth -= letter == ">"
    return kept.replace("(anonymous namespace)::", "") + operator + (name[len(before) + 8:] if operator else after)


def of_type(name):
    """Name of a method of a trait by its type: debug information has `app::{impl#1}::area` for `app::Square::area`."""
    symbol = gdb.lookup_static_symbol(name) or gdb.lookup_global_symbol(name)
    linked = quiet("demangle -l rust -- %s" % symbol.linkage_name).strip() if symbol else ""
    found = re.match(r"<(.+?) as .+>::(\w+)(?:::h[0-9a-f]{16})?$", linked)
    return "%s::%s" % (without_parameters(found.group(1).lstrip("&")), found.group(2)) if found else None


def names_in(listing):
    """Names of what `info functions` lists, without those of the language's own library: as people write them, by full name."""
    names, path = {}, ""
    for line in listing.splitlines():
        found = re.match(r"File (.*):$", line)
        if found:
            path = found.group(1)
            continue
        found = re.match(r"\d+:\s+(.*)$", line)
        if not found or path.startswith(("/rustc/", "library/", "/usr/include/", "/usr/src/")):
            continue
        name = split_signature(re.sub(r"^static |\bfn ", "", found.group(1)))
        if name and name not in names and not re.search(r"\{(?!impl#)", name):
            names[name] = of_type(name) if "{impl#" in name else without_parameters(name)
    return {full: name for full, name in names.items() if name}


def fits(source, name):
    return source.search(name) is not None


def listed(pattern):
    """Functions that may fit: by the longest name in the pattern's last part, as the parts before may be spelled otherwise."""
    literal = max(re.split(r"\W", re.split(r"::|\.", pattern)[-1]), key=len)
    if literal:
        return names_in(quiet("info functions -n %s" % literal))
    literal = max(re.split(r"\W", pattern), key=len) or "."
    return {**names_in(quiet("info functions -n %s" % literal)), **names_in(quiet("info functions -n {impl#"))}
