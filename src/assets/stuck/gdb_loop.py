# Run by gdb in the process that it is attached to: steps the thread PTH_TID until its registers were there before, and sees
# whether all of its registers and all memory that may be written are the same one round later, without anything from outside.
import hashlib
import json
import os
import re
import struct
import time

import gdb

MOST_STEPS = int(os.environ["PTH_MOST_STEPS"])
# The process stands still meanwhile.
MOST_SECONDS = 1.5
MOST_BYTES = 256 << 20
MOST_ROUNDS = 5
# Mapped files that no program changes, and the counters of a Java VM, which only those read who watch it.
UNSHARED = re.compile(r"/usr/|/tmp/hsperfdata_[^/]+/\d+$")
NAMES = {
    "i386:x86-64": "rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip eflags".split(),
    "aarch64": ["x%d" % at for at in range(31)] + ["sp", "pc", "cpsr"],
}


def answer(proven, detail):
    print("\n@@PTH " + json.dumps({"proven": proven, "detail": detail}))


def maps(pid):
    with open("/proc/%d/maps" % pid) as file:
        return [line.split(None, 5) for line in file]


def digest(pid):
    """Hash of all resident memory that may be written, with its addresses; None where it is too much."""
    total, result = 0, hashlib.blake2b(digest_size=16)
    memory = os.open("/proc/%d/mem" % pid, os.O_RDONLY)
    try:
        with open("/proc/%d/pagemap" % pid, "rb") as pages:
            for fields in maps(pid):
                if "w" not in fields[1]:
                    continue
                start, end = (int(part, 16) for part in fields[0].split("-"))
                pages.seek(start // 4096 * 8)
                entries = pages.read((end - start) // 4096 * 8)
                at, count = 0, len(entries) // 8
                while at < count:
                    first = at
                    while at < count and struct.unpack_from("<Q", entries, at * 8)[0] >> 62:
                        at += 1
                    if at > first:
                        size = (at - first) * 4096
                        total += size
                        if total > MOST_BYTES:
                            return None
                        result.update(struct.pack("<Q", start + first * 4096))
                        result.update(os.pread(memory, size, start + first * 4096))
                    at += 1
    finally:
        os.close(memory)
    return result.hexdigest()


def reads_outside(code):
    """True for instructions that enter the kernel, or read a clock, a counter or random numbers."""
    while code and code[0] in (0xF2, 0xF3, 0x66) or code and 0x40 <= code[0] <= 0x4F:
        code = code[1:]
    if code[:2] in (b"\x0f\x05", b"\x0f\x34", b"\xcd\x80", b"\x0f\x31", b"\x0f\x33", b"\x0f\xa2", b"\x0f\x01", b"\x0f\xc7"):
        return True
    return code[:1] in (b"\xe4", b"\xe5", b"\xec", b"\xed")


def prove():
    gdb.execute("set pagination off", to_string=True)
    inferior = gdb.selected_inferior()
    tid = int(os.environ["PTH_TID"])
    # The process has the number of its first thread.
    thread = next((each for each in inferior.threads() if (each.ptid[1] or each.ptid[0]) == tid), None)
    if thread is None:
        return answer(False, "the thread is gone")
    thread.switch()
    gdb.execute("set scheduler-locking on", to_string=True)
    names = NAMES.get(gdb.newest_frame().architecture().name())
    if names is None or names[0] != "rax":
        return answer(False, "loops of this processor cannot be proven")
    if int(gdb.newest_frame().read_register("orig_rax")) >= 0:
        return answer(False, "it is in a system call")
    mapped = maps(inferior.pid)
    shared = [fields for fields in mapped if fields[1].endswith("s") and not (len(fields) > 5 and UNSHARED.match(fields[5]))]
    if shared:
        return answer(False, "it has memory that it shares with others")
    kernel = [
        tuple(int(part, 16) for part in fields[0].split("-"))
        for fields in mapped if len(fields) > 5 and fields[5].strip() in ("[vdso]", "[vsyscall]")
    ]

    def registers():
        frame = gdb.newest_frame()
        return tuple(int(frame.read_register(name)) & (2**64 - 1) for name in names)

    def step(state):
        at = state[16]
        if any(start <= at < end for start, end in kernel) or reads_outside(bytes(inferior.read_memory(at, 8))):
            return False
        gdb.execute("stepi", to_string=True)
        return True

    # Registers that were there before tell the length of a round; all else is compared over the next one.
    seen, began = {}, time.monotonic()
    state = registers()
    while state not in seen:
        if len(seen) >= MOST_STEPS or time.monotonic() - began > MOST_SECONDS:
            return answer(False, "its registers did not repeat in %d instructions" % len(seen))
        seen[state] = len(seen)
        if not step(state):
            return answer(False, "it asks the system, or reads a clock")
        state = registers()
    period = len(seen) - seen[state]
    every = gdb.execute("info all-registers", to_string=True)
    before = digest(inferior.pid)
    # The kernel notes the processor of a thread in its memory: a round in which it was moved to another one differs.
    for _ in range(MOST_ROUNDS):
        if before is None:
            return answer(False, "it has more memory than is compared")
        current = state
        for _ in range(period):
            if not step(current):
                return answer(False, "it asks the system, or reads a clock")
            current = registers()
        now, after = gdb.execute("info all-registers", to_string=True), digest(inferior.pid)
        if current == state and now == every and after == before:
            break
        if current != state:
            return answer(False, "its registers do not repeat")
        every, before = now, after
    else:
        return answer(False, "its state does not repeat")
    place = gdb.newest_frame().name() or hex(state[16])
    answer(True, "%s repeats the same state every %d instructions, without a system call" % (place, period))
    exec(os.environ["PTH_GDB_STACKS"], {})


if gdb.selected_inferior().pid != 0:  # else it could not be attached, as gdb has said
    prove()
