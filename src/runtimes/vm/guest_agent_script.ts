/**
 * What runs in the guest to start commands quickly: one Python process for all of them, fed over one channel. A channel
 * of SSH per command costs 100 to 150 ms where the guest is emulated; a fork of this one about 20.
 *
 * Frames both ways: kind (1 byte), id of the command, length (4 bytes each, big endian), payload.
 *
 * | to the guest                                | from the guest                                  |
 * | ------------------------------------------- | ----------------------------------------------- |
 * | `S` start: JSON argv, cwd, env, mark, stdin | `H` hello: JSON; `P` the pid                    |
 * | `I` stdin, empty: its end                   | `W` so many bytes of stdin were taken           |
 * | `A` so many bytes of a stream were taken    | `1`, `2` stdout and stderr, empty: their end    |
 * | `K` signal: JSON signal, pid, mark          | `X` exit: JSON code, signal                     |
 * | `D` what it still says is not wanted        | `Q` it ended, its outputs are held but silent   |
 * | `Z` end what others of a scope ran          | `R` done                                        |
 * | `N` did anything below a folder change?     | `R` whether, since this was asked before        |
 *
 * Each stream may have `window` bytes under way: one that nobody reads holds up neither the others nor the memory.
 * When its channel ends, so do the commands that still run.
 */

/** Bytes of a stream that may be under way without being taken. */
export const window: number = 1024 * 1024;

/** Comes before the first frame: whatever a login says on its own is passed over. */
export const greeting = "\0PTH-AGENT-1\0";

/** Python 3.9 or later, Linux 5.3 or later; the plain way is taken elsewhere. */
export const agentScript: string = String.raw`
import errno, json, os, selectors, signal, struct, subprocess, sys, time
HEAD = struct.Struct(">cII")
NUMBER = struct.Struct(">I")
WINDOW = ${window}
PIECE = 65536
FULL = 524288
QUIET = 0.3
sel = selectors.EpollSelector()
commands, outgoing, waiting = {}, bytearray(), set()
BASE = {k: v for k, v in os.environ.items() if k in ("HOME", "USER", "LOGNAME", "SHELL", "LANG", "PATH")}

def send(kind, id, payload=b""):
    outgoing.extend(HEAD.pack(kind, id, len(payload)))
    outgoing.extend(payload)

def say(kind, id, value):
    send(kind, id, json.dumps(value).encode())

class Output:
    def __init__(self, command, kind, pipe):
        self.command, self.kind, self.pipe = command, kind, pipe
        self.credit, self.discard, self.listening = WINDOW, False, False
        os.set_blocking(pipe.fileno(), False)
        self.listen()
    def listen(self):
        may = self.pipe and (self.discard or (self.credit > 0 and len(outgoing) < FULL))
        if may and not self.listening:
            sel.register(self.pipe, selectors.EVENT_READ, self)
        elif self.listening and not may:
            sel.unregister(self.pipe)
        self.listening = bool(may)
        if self.pipe and not may and self.credit > 0: waiting.add(self)
    def ready(self, events):
        try: data = os.read(self.pipe.fileno(), PIECE if self.discard else min(PIECE, self.credit))
        except BlockingIOError: return
        except OSError: data = b""
        self.command.heard = time.monotonic()
        if not self.discard:
            send(self.kind, self.command.id, data)
            self.credit -= len(data)
        if not data:
            sel.unregister(self.pipe)
            self.pipe.close()
            self.pipe, self.listening = None, False
            self.command.forget()
        else: self.listen()

class Input:
    def __init__(self, command, pipe):
        self.command, self.pipe, self.held, self.ending, self.listening = command, pipe, bytearray(), False, False
        if pipe: os.set_blocking(pipe.fileno(), False)
    def take(self, data):
        if data: self.held.extend(data)
        else: self.ending = True
        self.flush()
    def flush(self):
        if self.pipe and self.held:
            try:
                done = os.write(self.pipe.fileno(), memoryview(self.held)[:PIECE])
                del self.held[:done]
                send(b"W", self.command.id, NUMBER.pack(done))
            except BlockingIOError: pass
            except OSError: self.close()
        if not self.pipe and self.held:
            send(b"W", self.command.id, NUMBER.pack(len(self.held)))
            self.held.clear()
        if self.pipe and self.ending and not self.held: self.close()
        if self.pipe and bool(self.held) != self.listening:
            if self.held: sel.register(self.pipe, selectors.EVENT_WRITE, self)
            else: sel.unregister(self.pipe)
            self.listening = bool(self.held)
    def ready(self, events): self.flush()
    def close(self):
        if self.pipe is None: return
        if self.listening: sel.unregister(self.pipe)
        try: self.pipe.close()
        except OSError: pass
        self.pipe, self.listening = None, False

class Command:
    def __init__(self, id, order):
        self.id, self.mark, self.gone, self.silent, self.heard = id, order["mark"], False, False, 0
        env = {**BASE, **order["env"], "PTH_EXEC": self.mark}
        self.process = begin(order["argv"], order["cwd"], env, order["stdin"])
        self.watch = os.pidfd_open(self.process.pid)
        sel.register(self.watch, selectors.EVENT_READ, self)
        send(b"P", id, NUMBER.pack(self.process.pid))
        self.input = Input(self, self.process.stdin)
        self.outputs = [Output(self, b"1", self.process.stdout), Output(self, b"2", self.process.stderr)]
    def ready(self, events):
        code = self.process.wait()
        sel.unregister(self.watch)
        os.close(self.watch)
        self.gone, self.heard = True, time.monotonic()
        self.input.close()
        self.input.flush()
        tell_end(self.id, code)
        self.forget()
    def forget(self):
        if self.gone and not any(o.pipe for o in self.outputs): commands.pop(self.id, None)
    def look(self, now):
        """Somebody whom the command left behind holds its outputs: says so once nothing comes any more."""
        if self.silent or now - self.heard < QUIET or any(o.pipe and not o.listening for o in self.outputs): return
        self.silent = True
        send(b"Q", self.id)

def begin(argv, cwd, env, stdin):
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(argv, cwd=cwd, env=env, stdin=pipe if stdin else subprocess.DEVNULL, stdout=pipe,
                                stderr=pipe, start_new_session=True, bufsize=0, close_fds=False)
    except OSError as error:
        if error.errno == errno.ENOEXEC and argv[0] != "/bin/sh": return begin(["/bin/sh", *argv], cwd, env, stdin)
        raise

def tell_end(id, code):
    if code >= 0: return say(b"X", id, {"code": code, "signal": None})
    try: name = signal.Signals(-code).name
    except ValueError: name = "SIG%d" % -code
    say(b"X", id, {"code": None, "signal": name})

def start(id, payload):
    order = json.loads(payload)
    try: commands[id] = Command(id, order)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        number = getattr(error, "errno", None)
        folder = getattr(error, "filename", None) == order["cwd"]
        words = "cannot change to %s" % order["cwd"] if folder else order["argv"][0]
        why = os.strerror(number) if number else str(error)
        send(b"P", id, NUMBER.pack(0))
        send(b"2", id, ("%s: %s\n" % (words, "not found" if number == errno.ENOENT and not folder else why)).encode())
        send(b"1", id); send(b"2", id)
        tell_end(id, 127 if number == errno.ENOENT and not folder else 126)

def end_marked(wanted):
    for _ in range(8):
        found = []
        for name in os.listdir("/proc"):
            if not name.isdigit() or int(name) == os.getpid(): continue
            try:
                with open("/proc/%s/environ" % name, "rb") as file: variables = file.read().split(b"\0")
            except OSError: continue
            if any(wanted(v) for v in variables): found.append(int(name))
        alive = False
        for pid in found:
            try: os.kill(pid, signal.SIGKILL); alive = True
            except OSError: pass
        if not alive: return

def kill(id, payload):
    order = json.loads(payload)
    number = getattr(signal, order["signal"], None)
    if number is None: return
    if order["pid"] > 1:
        try: os.killpg(order["pid"], number)
        except OSError: pass
    if number == signal.SIGKILL:
        mark = ("PTH_EXEC=" + order["mark"]).encode()
        end_marked(lambda v: v == mark)

def end_others(id, payload):
    order = json.loads(payload)
    scope, own = (order["scope"] + "/").encode(), order["own"].encode()
    starts = (b"PTH_EXEC=" + scope, b"PTH_AGENT=" + scope)
    end_marked(lambda v: v.startswith(starts) and not v.split(b"=", 1)[1].startswith(own))
    say(b"R", id, True)

class Watch:
    """Tells whether anything below a folder changed, by inotify; what a mapped file is written by is not seen."""
    MASK = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400
    EVENT = struct.Struct("iIII")
    def __init__(self, folder, apart):
        import ctypes
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.folder, self.apart, self.places, self.changed = folder.encode(), set(a.encode() for a in apart), {}, True
        self.blind = False
        self.fd = self.libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        if self.fd < 0: raise OSError("no inotify")
        self.cover(self.folder)
    def cover(self, top):
        for path, folders, _ in os.walk(top):
            folders[:] = [f for f in folders if f not in self.apart]
            place = self.libc.inotify_add_watch(self.fd, path, self.MASK | 0x1000000 | 0x2000000)
            if place >= 0: self.places[place] = path
            elif path == self.folder: raise OSError("cannot be watched")
            elif os.path.lexists(path): self.blind = True
    def look(self):
        while True:
            try: events = os.read(self.fd, 65536)
            except BlockingIOError: break
            at = 0
            while at < len(events):
                place, mask, _, size = self.EVENT.unpack_from(events, at)
                name = events[at + 16:at + 16 + size].rstrip(b"\0")
                at += 16 + size
                if name in self.apart: continue
                self.changed = True
                if mask & 0x4000: self.cover(self.folder)
                if mask & 0x8000: self.places.pop(place, None)
                elif mask & 0x40000000 and mask & 0x180 and place in self.places: self.cover(os.path.join(self.places[place], name))
        changed, self.changed = self.changed, self.blind
        return changed

watches = {}
def has_changed(id, payload):
    order = json.loads(payload)
    folder = order["folder"]
    try:
        if folder not in watches or not os.path.samestat(os.stat(folder), watches[folder][1]):
            if folder in watches: os.close(watches.pop(folder)[0].fd)
            watches[folder] = (Watch(folder, order["apart"]), os.stat(folder))
        say(b"R", id, watches[folder][0].look())
    except OSError: say(b"R", id, True)

def taken(id, payload):
    command = commands.get(id)
    if command is None: return
    output = command.outputs[payload[0] - 1]
    output.credit += NUMBER.unpack_from(payload, 1)[0]
    output.listen()

def drop(id, payload):
    command = commands.get(id)
    if command is None: return
    for output in command.outputs:
        output.discard = True
        output.listen()

def give(id, payload):
    command = commands.get(id)
    if command: command.input.take(payload)
    elif payload: send(b"W", id, NUMBER.pack(len(payload)))

ACTIONS = {b"S": start, b"I": give, b"A": taken, b"K": kill, b"D": drop, b"Z": end_others, b"N": has_changed}
incoming = bytearray()

def listen_to_host():
    try: data = os.read(0, 262144)
    except BlockingIOError: return True
    except OSError: return False
    if not data: return False
    incoming.extend(data)
    at = 0
    while len(incoming) - at >= HEAD.size:
        kind, id, size = HEAD.unpack_from(incoming, at)
        if len(incoming) - at < HEAD.size + size: break
        payload = bytes(incoming[at + HEAD.size:at + HEAD.size + size])
        at += HEAD.size + size
        ACTIONS[kind](id, payload)
    del incoming[:at]
    return True

writing = False
def talk_to_host():
    """What the channel takes now; the rest when it is ready again."""
    global writing
    while outgoing:
        try:
            with memoryview(outgoing) as view: done = os.write(1, view[:262144])
        except BlockingIOError: break
        except OSError: return False
        del outgoing[:done]
    if bool(outgoing) != writing:
        if outgoing: sel.register(1, selectors.EVENT_WRITE)
        else: sel.unregister(1)
        writing = bool(outgoing)
    if len(outgoing) < FULL and waiting:
        again = list(waiting)
        waiting.clear()
        for output in again: output.listen()
    return True

def serve():
    os.chdir("/")
    os.set_blocking(0, False)
    os.set_blocking(1, False)
    sel.register(0, selectors.EVENT_READ)
    outgoing.extend(b"\0PTH-AGENT-1\0")
    say(b"H", 0, {"pid": os.getpid(), "home": BASE.get("HOME", "/"), "python": sys.version.split()[0]})
    while talk_to_host():
        held = [c for c in commands.values() if c.gone and not c.silent]
        for key, events in sel.select(0.05 if held else None):
            if key.fd == 0 and key.data is None:
                if not listen_to_host(): return
            elif key.data is not None and (key.data.__class__ is Command or key.fileobj is key.data.pipe): key.data.ready(events)
        now = time.monotonic()
        for command in held: command.look(now)

signal.signal(signal.SIGPIPE, signal.SIG_IGN)
try: serve()
finally:
    running = {("PTH_EXEC=" + c.mark).encode() for c in commands.values() if not c.gone}
    for command in commands.values():
        if not command.gone:
            try: os.killpg(command.process.pid, signal.SIGKILL)
            except OSError: pass
    if running: end_marked(lambda v: v in running)
`;
