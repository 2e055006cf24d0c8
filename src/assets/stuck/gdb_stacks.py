# Run by gdb in the process that it is attached to: prints the stacks of all threads as one line of JSON behind a mark.
import json
import re

import gdb

MOST_THREADS = 200
MOST_FRAMES = 60
GUARD = re.compile(r"\b(MutexGuard|RwLockReadGuard|RwLockWriteGuard|lock_guard|unique_lock|scoped_lock)<")

for setting in ("pagination off", "debuginfod enabled off", "print frame-arguments scalars"):
    try:
        gdb.execute("set " + setting, to_string=True)
    except gdb.error:
        pass  # an older gdb has no such setting


def address_of(value):
    return hex(int(value if value.type.code == gdb.TYPE_CODE_PTR else value.address))


def guards_of(frame):
    found = []
    try:
        block = frame.block()
    except RuntimeError:
        return found  # no debug information
    place = frame.find_sal()
    while block is not None and not block.is_global and not block.is_static:
        for symbol in block:
            if not (symbol.is_variable or symbol.is_argument) or not GUARD.search(str(symbol.type)):
                continue
            try:
                value = symbol.value(frame)
                fields = [field.name for field in value.type.fields()]
                lock = next((name for name in ("lock", "_M_device") if name in fields), None)
                if lock is not None:
                    found.append({"lock": address_of(value[lock]), "name": symbol.name, "line": place.line})
            except (gdb.error, RuntimeError, TypeError):
                pass  # optimized out
        if block.function:
            break
        block = block.superblock
    return found


def arguments_of(frame):
    found = {}
    try:
        for symbol in frame.block():
            if symbol.is_argument and len(found) < 8:
                # Compound values of some languages end gdb itself: plain ones alone are read.
                value = frame.read_var(symbol)
                code = value.type.strip_typedefs().code
                if code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_FLT, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_ENUM):
                    text = hex(int(value)) if code == gdb.TYPE_CODE_PTR else str(value)
                    found[symbol.name] = text[:80]
    except (gdb.error, RuntimeError):
        pass  # no debug information, or optimized out
    return found


def maps():
    found = []
    with open("/proc/%d/maps" % gdb.selected_inferior().pid) as file:
        for fields in (line.split(None, 5) for line in file):
            if len(fields) > 5 and fields[5].startswith("/"):
                found.append([int(part, 16) for part in fields[0].split("-")] + [fields[5].strip().split("/")[-1]])
    return found


def nameless(address):
    file = next((name for start, end, name in mapped if start <= address < end), None)
    return "%s in %s" % (hex(address), file) if file else hex(address)


def frames_of():
    frames, holds = [], []
    frame = gdb.newest_frame()
    while frame is not None and len(frames) < MOST_FRAMES:
        try:
            place = frame.find_sal()
            entry = {"function": frame.name() or nameless(frame.pc())}
            if place.symtab is not None:
                entry["file"] = place.symtab.fullname()
                entry["line"] = place.line
            arguments = arguments_of(frame)
            if arguments:
                entry["arguments"] = arguments
            frames.append(entry)
            for guard in guards_of(frame):
                file = entry.get("file", "")
                holds.append({"lock": guard["lock"], "at": "%s:%s" % (file.split("/")[-1], guard["line"])})
            frame = frame.older()
        except gdb.error:
            break  # the rest of the stack cannot be read
    return frames, holds


threads = []
mapped = maps() if gdb.selected_inferior().pid != 0 else []
for thread in sorted(gdb.selected_inferior().threads(), key=lambda each: each.ptid[1] or each.ptid[0])[:MOST_THREADS]:
    thread.switch()
    frames, holds = frames_of()
    threads.append({"tid": thread.ptid[1] or thread.ptid[0], "name": thread.name or "", "frames": frames, "holds": holds})
if gdb.selected_inferior().pid != 0:  # else it could not be attached, as gdb has said
    print("\n@@PTH " + json.dumps(threads))
