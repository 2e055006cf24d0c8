"""Counts and times of functions that are called too often for breakpoints, by probes of the kernel, for trace_gdb.py.

A probe costs some microseconds where a breakpoint costs hundreds. The kernel takes them from root alone, or with CAP_PERFMON. Returns are met at
RET instructions: a probe for returns would change return addresses, which exceptions and the stacks of Go do not bear.
"""
import ctypes
import mmap
import os
import re
import statistics
import struct
import threading
import time

import gdb

"""Calls of a function that are counted, so that one that is called for ever does not slow its test for ever."""
MOST_COUNTED = 100_000
"""Calls whose times are taken: as many as one ring holds."""
MOST_TIMED = 4000
MOST_THREADS = 16
RING_PAGES = 64
EVERY_S = 0.05
SYSCALLS = {"x86_64": 298, "aarch64": 241}
CLOSE_ON_EXEC = 8
INHERIT = 2
SAMPLE_IP_TID_TIME = 7
SET_OUTPUT = 0x2405
counted = []
"""Probes are closed by the thread that watches them, or at the end."""
lock = threading.Lock()


class Count:
    """Probes of one function, in all its places, until it was called too often for these, too."""

    def __init__(self, name, entries, returns):
        self.name, self.entries = name, set(entries)
        self.counters, self.samplers, self.rings = [], [], []
        self.calls, self.samples, self.is_over = 0, [], False
        threads = os.listdir("/proc/%d/task" % gdb.selected_inferior().pid)[:MOST_THREADS]
        try:
            for thread in map(int, threads):
                for address in entries:
                    self.counters.append(open_probe(address, thread, INHERIT, 0))
                ring = None
                for address in entries + returns:
                    sampler = open_probe(address, thread, 0, SAMPLE_IP_TID_TIME)
                    self.samplers.append(sampler)
                    if ring is None:
                        ring = sampler
                        self.rings.append(mmap.mmap(sampler, (RING_PAGES + 1) * mmap.PAGESIZE))
                    elif libc.ioctl(sampler, SET_OUTPUT, ring) < 0:
                        raise OSError(ctypes.get_errno(), "PERF_EVENT_IOC_SET_OUTPUT")
        except (OSError, ValueError):
            self.close()
            raise

    def look(self):
        """Ends it once there are enough calls, and the times before."""
        if self.is_over:
            return
        self.calls = sum(struct.unpack("<Q", os.read(counter, 8))[0] for counter in self.counters)
        if self.calls >= MOST_TIMED:
            self.close_samplers()
        if self.calls >= MOST_COUNTED:
            self.close()

    def close(self):
        self.is_over = True
        self.close_samplers()
        for counter in self.counters:
            os.close(counter)

    def close_samplers(self):
        self.samples += [sample for ring in self.rings for sample in records(ring)]
        # A ring that is mapped keeps its probe.
        for ring in self.rings:
            ring.close()
        for sampler in self.samplers:
            os.close(sampler)
        self.rings, self.samplers = [], []

    def median_us(self):
        """Of the calls that fit into the rings; None where none has returned."""
        began, times = {}, []
        for address, thread, at in self.samples:
            if address in self.entries:
                began.setdefault(thread, []).append(at)
            elif began.get(thread):
                times.append(at - began[thread].pop())
        return statistics.median(times) / 1000 if times else None


libc = ctypes.CDLL(None, use_errno=True)


def open_probe(address, thread, flags, sampled):
    """A probe at an address of the program: the kernel takes it by file and offset."""
    path, offset = place_in_file(address)
    with open("/sys/bus/event_source/devices/uprobe/type", encoding="ascii") as file:
        kind = int(file.read())
    path = ctypes.create_string_buffer(os.fsencode(path))
    attributes = ctypes.create_string_buffer(struct.pack(
        "<IIQQQQQIIQQQQIiQII", kind, 112, 0, 1 if sampled else 0, sampled, 0, flags, 0, 0, ctypes.addressof(path), offset,
        0, 0, 0, 0, 0, 0, 0,
    ), 112)
    number = SYSCALLS.get(os.uname().machine)
    if number is None:
        raise OSError("no probes on this machine")
    probe = libc.syscall(number, attributes, thread, -1, -1, CLOSE_ON_EXEC)
    if probe < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return probe


def place_in_file(address):
    with open("/proc/%d/maps" % gdb.selected_inferior().pid, encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            found = re.match(r"([0-9a-f]+)-([0-9a-f]+) \S+ ([0-9a-f]+) \S+ \d+ +(/.*)$", line)
            if found and int(found.group(1), 16) <= address < int(found.group(2), 16):
                return found.group(4), address - int(found.group(1), 16) + int(found.group(3), 16)
    raise ValueError("no file has the address")


def records(ring):
    """Address, thread and time in ns of each sample in a ring, which keeps the first ones."""
    head, _, start, size = struct.unpack("<QQQQ", ring[1024:1056])
    start, size = start or mmap.PAGESIZE, size or RING_PAGES * mmap.PAGESIZE
    at = 0
    while at + 32 <= min(head, size):
        kind, _, length = struct.unpack("<IHH", ring[start + at:start + at + 8])
        if length == 0:
            return
        if kind == 9 and length >= 32:
            address, _, thread, when = struct.unpack("<QIIQ", ring[start + at + 8:start + at + 32])
            yield address, thread, when
        at += length


def places_of(breakpoints):
    """Addresses of breakpoints, and those of the RET instructions of their functions; none with a gdb that does not tell."""
    entries, returns = [], []
    for address in [location.address for one in breakpoints for location in getattr(one, "locations", [])]:
        block = gdb.block_for_pc(address)
        while block is not None and block.function is None:
            block = block.superblock
        entries.append(address)
        if block is not None:
            code = gdb.selected_inferior().architecture().disassemble(block.start, block.end - 1)
            returns += [one["addr"] for one in code if one["asm"].startswith("ret")]
    return entries, returns


def count(name, places):
    """Begins to count the calls of a function without breakpoints; nothing where the kernel does not let it."""
    try:
        one = Count(name, *places)
    except (OSError, ValueError, gdb.error):
        return
    if not counted:
        threading.Thread(target=watch, daemon=True).start()
    counted.append(one)


def watch():
    while True:
        time.sleep(EVERY_S)
        with lock:
            for one in list(counted):
                one.look()


def results():
    """Name, calls, median in µs, and whether there were more calls, of all that were counted."""
    with lock:
        for one in counted:
            one.look()
            is_cut = one.is_over
            if not is_cut:
                one.close()
            yield one.name, one.calls, one.median_us(), is_cut
