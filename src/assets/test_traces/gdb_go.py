"""Calls of Go, for trace_gdb.py: breakpoints behind the prologue of functions, and at their RET instructions.

Stacks of goroutines move, so that a breakpoint at the place where a call returns to would be of no use. A call is known by its
goroutine and by its distance from the stack's upper end, which stays as it is.
"""
import json
import os
import re

import gdb
from gdb_tracing import Leaving, MOST_ARGUMENTS, is_followed, quiet, request, symbols_of, watched, write, write_call, write_end

MOST_ITEMS = 10
MOST_TEXT = 200
DEEPEST = 3
roots = {root + "/" for root in (request["root"], os.path.realpath(request["root"]))}
"""Calls under way by goroutine, outermost first: distance, name, id."""
stacks = {}
types = {}
"""Texts of panics by the calls that they may leave."""
panicked = {}

quiet("set language c")


def fits(source, name):
    """A method fits as Go writes it, `cart.(*Cart).Total`, and as `cart.Cart.Total`."""
    return source.search(name) is not None or source.search(re.sub(r"\(\*(\w+)\)", r"\1", name)) is not None


def names_in(listing):
    """Names of the project's functions by those of debug information, which have type parameters."""
    names, path = {}, ""
    for line in listing.splitlines():
        found = re.match(r"File (.*):$", line)
        if found:
            path = found.group(1)
            continue
        found = re.match(r"(?:\d+:)?\s+(?:static )?void (.+);$", line)
        if not found or not path.startswith(tuple(roots)):
            continue
        full = found.group(1)
        if full.endswith(")"):
            depth = 0
            for index in range(len(full) - 1, 0, -1):
                depth += {")": 1, "(": -1}.get(full[index], 0)
                if depth == 0:
                    full = full[:index]
                    break
        # Dots of the last part of a package's path are escaped.
        names[full] = re.sub(r"\[.*?\](?=\.|\)|$)", "", full).replace("%2e", ".")
    return names


def listed(pattern):
    """Functions that may fit, by the longest word of the pattern's last part."""
    literal = max(re.split(r"\W", re.split(r"::|\.", pattern)[-1]), key=len) or max(re.split(r"\W", pattern), key=len) or "."
    return names_in(quiet("info functions -n %s" % literal))


def clear():
    """Nothing is left behind while the program runs."""


class Begin(gdb.Breakpoint):
    def __init__(self, full, name):
        if gdb.selected_inferior().architecture().name() != "i386:x86-64":
            raise ValueError("Go is traced on x86-64 alone")
        symbol = gdb.lookup_global_symbol(full) or gdb.lookup_static_symbol(full)
        if symbol is None:
            raise ValueError("there is no such symbol")
        block = gdb.block_for_pc(int(symbol.value().address))
        code = [
            (one["addr"], *(one["asm"].split(None, 1) + [""])[:2])
            for one in gdb.selected_inferior().architecture().disassemble(block.start, block.end - 1)
        ]
        at, self.frame_size = behind_prologue(code)
        place = lambda address: "*('%s'+%d)" % (full, address - block.start)
        super().__init__(place(at), internal=True)
        self.silent = True
        self.function_name, self.is_hot = name, False
        self.ends = [End(place(address), self) for address, operation, _ in code if operation.startswith("ret")]

    def stop(self):
        """True once it was called too often: it is removed then, as each further stop would cost its time."""
        try:
            return self.begin(gdb.newest_frame())
        except (gdb.error, RuntimeError, ValueError, KeyError) as error:
            write(kind="note", text="Calls of %s cannot be followed: %s" % (self.function_name, error))
            self.is_hot = True
            return True

    def begin(self, frame):
        top = int(gdb.parse_and_eval("(unsigned long)$rsp")) + self.frame_size + 8
        goroutine, distance = goroutine_of(top)
        stack = left(goroutine, distance)
        # A loop may begin there, and a signal may have come before the instruction ran: the same call comes by again.
        if stack and stack[-1][:2] == (distance, self.function_name) and stack[-1][2] not in panicked:
            return False
        left(goroutine, distance - 1)
        self.is_hot = not is_followed(self.function_name)
        if self.is_hot:
            return True
        arguments = {}
        for symbol in symbols_of(frame):
            # Results have their place below the frame's top, arguments above.
            if not symbol.is_argument or symbol.name.startswith((".", "~")):
                continue
            value = symbol.value(frame)
            if value.address is not None and int(value.address) < top:
                continue
            if len(arguments) < MOST_ARGUMENTS:
                arguments[symbol.name] = text_of(value)
        call = write_call(
            self.function_name, frame, "goroutine %d" % goroutine, stack[-1][2] if stack else None,
            arguments=arguments, **watched(self.function_name, text_of),
        )
        stack.append((distance, self.function_name, call))
        return False

    def remove(self):
        for end in self.ends:
            end.delete()
        self.delete()


class End(gdb.Breakpoint):
    def __init__(self, place, begin):
        super().__init__(place, internal=True)
        self.silent = True
        self.function_name = begin.function_name

    def stop(self):
        try:
            self.end(gdb.newest_frame())
        except (gdb.error, RuntimeError, ValueError, KeyError) as error:
            write(kind="note", text="The end of %s cannot be followed: %s" % (self.function_name, error))
        return False

    def end(self, frame):
        top = int(gdb.parse_and_eval("(unsigned long)$rsp")) + 8
        goroutine, distance = goroutine_of(top)
        stack = left(goroutine, distance)
        if not stack or stack[-1][:2] != (distance, self.function_name):
            return
        results = []
        for symbol in symbols_of(frame):
            if symbol.is_argument and not symbol.name.startswith("."):
                value = symbol.value(frame)
                if value.address is not None and int(value.address) < top:
                    results.append(text_of(value))
        returned = {} if not results else {"returned": results[0] if len(results) == 1 else "(%s)" % ", ".join(results)}
        write_end(stack.pop()[2], **returned, **watched(self.function_name, text_of))


class Panic(gdb.Breakpoint):
    def stop(self):
        frame = gdb.newest_frame()
        try:
            values = [symbol.value(frame) for symbol in symbols_of(frame) if symbol.is_argument]
            goroutine, _ = goroutine_of(0)
        except (gdb.error, RuntimeError):
            return False  # its calls end without the text of the panic
        text = "panic: %s" % text_of(values[0]) if values else "left by a panic"
        panicked.update((call, text) for _, _, call in stacks.get(goroutine, []))
        return False


Panic(function="runtime.gopanic", internal=True).silent = True
Leaving("runtime.exit", "*(int*)($rsp + 8)")


def behind_prologue(code):
    """Address at which the arguments lie in the frame, and the frame's size: the stores that put them there come first."""
    size, index = 0, 0
    for index, (address, operation, operands) in enumerate(code[:12]):
        found = re.match(r"\$0x([0-9a-f]+),%rsp$", operands)
        if operation.startswith("sub") and found:
            size = int(found.group(1), 16)
        if operation.startswith("add") and found:
            size = (1 << 64) - int(found.group(1), 16)
        if operation == "lea" and operands.endswith("(%rsp),%rbp"):
            index += 1
            break
    else:
        index = 0
    while index < len(code):
        _, operation, operands = code[index]
        found = re.match(r"%\w+,(?:0x([0-9a-f]+))?\(%rsp\)$", operands)
        if not operation.startswith("mov") or not found or int(found.group(1) or "0", 16) < size + 8:
            break
        index += 1
    return code[index][0], size


def goroutine_of(top):
    """Number of the goroutine that runs, and how far from the upper end of its stack an address is."""
    routine = gdb.parse_and_eval("$r14").cast(gdb.lookup_type("runtime.g").pointer())
    return int(routine["goid"]), int(routine["stack"]["hi"]) - top


def left(goroutine, distance):
    """Ends calls that are farther away than that: a panic has left them. Answers what is under way."""
    stack = stacks.setdefault(goroutine, [])
    while stack and stack[-1][0] > distance:
        call = stack.pop()[2]
        write_end(call, raised=panicked.pop(call, "left by a panic"))
    return stack


def text_of(value, depth=0):
    try:
        return shown(value, depth)
    except (gdb.error, RuntimeError, UnicodeError, OverflowError) as error:
        return "<%s>" % error


def shown(value, depth):
    kind, name = value.type.strip_typedefs(), str(value.type)
    if kind.code == gdb.TYPE_CODE_PTR:
        return pointer(value, kind, name, depth)
    if kind.code == gdb.TYPE_CODE_ARRAY:
        return listing((value[index] for index in range(*kind.range()[:1], min(kind.range()[1] + 1, MOST_ITEMS + 1))), depth)
    if kind.code == gdb.TYPE_CODE_FUNC:
        return "func"
    if kind.code != gdb.TYPE_CODE_STRUCT:
        return value.format_string()[:MOST_TEXT]
    fields = [field.name for field in kind.fields()]
    if fields == ["str", "len"]:
        return string(value)
    if fields == ["array", "len", "cap"]:
        count = int(value["len"])
        return listing((value["array"][index] for index in range(min(count, MOST_ITEMS + 1))), depth)
    if fields in (["tab", "data"], ["_type", "data"]):
        return interface(value, fields[0], depth)
    if depth >= DEEPEST:
        return "{…}"
    parts = ["%s: %s" % (field, text_of(value[field], depth + 1)) for field in fields[:MOST_ITEMS]]
    return "{%s}" % ", ".join(parts + (["…"] if len(fields) > MOST_ITEMS else []))


def string(value):
    count = int(value["len"])
    if count <= 0:
        return '""'
    data = bytes(gdb.selected_inferior().read_memory(int(value["str"]), min(count, MOST_TEXT)))
    return json.dumps(data.decode("utf-8", "replace") + ("…" if count > MOST_TEXT else ""), ensure_ascii=False)


def listing(items, depth):
    if depth >= DEEPEST:
        return "[…]"
    texts = []
    for item in items:
        texts.append("…" if len(texts) == MOST_ITEMS else text_of(item, depth + 1))
    return "[%s]" % ", ".join(texts)


def pointer(value, kind, name, depth):
    if int(value) == 0:
        return "nil"
    target = kind.target().strip_typedefs()
    if name.startswith("map["):
        fields = [field.name for field in target.fields()]
        counted = [field for field in ("count", "used") if field in fields]
        return "%s with %s entries" % (name, value.dereference()[counted[0]]) if counted else name
    if name.startswith(("chan ", "func(", "<-chan")) or gdb.TYPE_CODE_FUNC in (target.code, inner(target).code):
        return name
    return "&" + text_of(value.dereference(), depth) if target.code == gdb.TYPE_CODE_STRUCT else value.format_string()


def inner(kind):
    return kind.target().strip_typedefs() if kind.code == gdb.TYPE_CODE_PTR else kind


def interface(value, table, depth):
    """The value in it with its type, as far as debug information has that."""
    kind = value[table]
    if int(kind) == 0:
        return "nil"
    if table == "tab":
        fields = [field.name for field in kind.type.target().strip_typedefs().fields()]
        kind = kind.dereference()["_type" if "_type" in fields else "Type"]
    name = name_of(kind.dereference())
    bare = name.lstrip("*")
    found = type_of(bare)
    if found is None:
        return "<%s>" % name
    # What is a pointer itself is kept as it is.
    held = value["data"].cast(found.pointer())
    text = "&" + text_of(held.dereference(), depth + 1) if name != bare else text_of(held.dereference(), depth + 1)
    return "%s(%s)" % (name, text)


def type_of(name):
    """Types have the last part of their package's path at run time, and all of it in debug information."""
    if name not in types:
        types[name] = looked_up(name)
        if types[name] is None:
            listing = quiet("info types %s$" % re.escape(name))
            ending = r"((?:[^\s\[\]*]+/)?%s)" % re.escape(name)
            found = set(re.findall(r"^\s*(?:\d+:\s+)?(?:typedef |struct )*%s;$" % ending, listing, re.M))
            types[name] = looked_up(found.pop()) if len(found) == 1 else None
    return types[name]


def looked_up(name):
    for spelled in (name, "struct " + name):
        try:
            return gdb.lookup_type(spelled)
        except gdb.error:
            pass  # the next one
    return None


def name_of(kind):
    """Name of a type at run time: behind flags and a length, where the offset of its description says."""
    fields = {field.name: field.name for field in kind.type.strip_typedefs().fields()}
    offset = int(kind[fields.get("str", "Str")])
    flags = int(kind[fields.get("tflag", "TFlag")])
    base = int(gdb.parse_and_eval("(unsigned long)'runtime.firstmoduledata'.types"))
    data = bytes(gdb.selected_inferior().read_memory(base + offset, 3 + MOST_TEXT))
    length, at = data[1] & 127, 2
    if data[1] & 128:
        length, at = length | data[2] << 7, 3
    name = data[at:at + min(length, MOST_TEXT)].decode("utf-8", "replace")
    return name[1:] if flags & 2 else name
