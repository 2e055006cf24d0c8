# Runs in an environment to start the host's commands quickly: one process for all of them, fed over one channel by frames,
# which src/runtimes/shared/agent/agent_script.ts describes. The host puts WINDOW and GREETING before this text, and one of
# agent_stdio.py and agent_port.py after it: the channel. agent_guard.py may come between.
#
# Python 3.9 or later, Linux 5.3 or later. It starts in half the time without the modules for JSON, processes and selectors.
import _signal, os, select, struct, sys, time
HEAD = struct.Struct(">cII")
NUMBER, END = struct.Struct(">I"), struct.Struct(">i")
PIECE = 65536
FULL = 524288
QUIET = 0.3
IN, OUT = select.EPOLLIN, select.EPOLLOUT
poll, owners = select.epoll(), {}
commands, outgoing, waiting = {}, bytearray(), set()
BASE = {k: v for k, v in os.environb.items() if k in (b"HOME", b"USER", b"LOGNAME", b"SHELL", b"LANG", b"PATH")}

def attend(fd, events, owner):
    poll.register(fd, events)
    owners[fd] = owner

def leave(fd):
    poll.unregister(fd)
    del owners[fd]

def send(kind, id, payload=b""):
    outgoing.extend(HEAD.pack(kind, id, len(payload)))
    outgoing.extend(payload)

class Output:
    def __init__(self, command, kind, pipe):
        self.command, self.kind, self.pipe = command, kind, pipe
        self.credit, self.discard, self.listening = WINDOW, False, False
        os.set_blocking(pipe, False)
        self.listen()
    def listen(self):
        may = self.pipe is not None and (self.discard or (self.credit > 0 and len(outgoing) < FULL))
        if may and not self.listening:
            attend(self.pipe, IN, self)
        elif self.listening and not may:
            leave(self.pipe)
        self.listening = may
        if self.pipe is not None and not may and self.credit > 0: waiting.add(self)
    def ready(self):
        try: data = os.read(self.pipe, PIECE if self.discard else min(PIECE, self.credit))
        except BlockingIOError: return
        except OSError: data = b""
        self.command.heard = time.monotonic()
        if not self.discard:
            send(self.kind, self.command.id, data)
            self.credit -= len(data)
        if not data:
            leave(self.pipe)
            os.close(self.pipe)
            self.pipe, self.listening = None, False
            self.command.forget()
        else: self.listen()

class Input:
    def __init__(self, command, pipe):
        self.command, self.pipe, self.held, self.ending, self.listening = command, pipe, bytearray(), False, False
        if pipe is not None: os.set_blocking(pipe, False)
    def take(self, data):
        if data: self.held.extend(data)
        else: self.ending = True
        self.flush()
    def flush(self):
        if self.pipe is not None and self.held:
            try:
                with memoryview(self.held) as view: done = os.write(self.pipe, view[:PIECE])
                del self.held[:done]
                send(b"W", self.command.id, NUMBER.pack(done))
            except BlockingIOError: pass
            except OSError: self.close()
        if self.pipe is None and self.held:
            send(b"W", self.command.id, NUMBER.pack(len(self.held)))
            self.held.clear()
        if self.pipe is not None and self.ending and not self.held: self.close()
        if self.pipe is not None and bool(self.held) != self.listening:
            if self.held: attend(self.pipe, OUT, self)
            else: leave(self.pipe)
            self.listening = bool(self.held)
    ready = flush
    def close(self):
        if self.pipe is None: return
        if self.listening: leave(self.pipe)
        os.close(self.pipe)
        self.pipe, self.listening = None, False

class Command:
    def __init__(self, id, mark, cwd, argv, env, stdin):
        self.id, self.mark, self.gone, self.silent, self.heard = id, mark, False, False, 0
        self.pid, pipes = begin(argv, cwd, {**BASE, **env, b"PTH_EXEC": mark}, stdin)
        try: self.follow(pipes)
        except OSError as error: raise RuntimeError("a command was lost from sight") from error
    def follow(self, pipes):
        self.watch = os.pidfd_open(self.pid)
        attend(self.watch, IN, self)
        send(b"P", self.id, NUMBER.pack(self.pid))
        self.input = Input(self, pipes[0])
        self.outputs = [Output(self, b"1", pipes[1]), Output(self, b"2", pipes[2])]
    def ready(self):
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        leave(self.watch)
        os.close(self.watch)
        self.gone, self.heard = True, time.monotonic()
        self.input.close()
        self.input.flush()
        tell_end(self.id, code)
        self.forget()
    def forget(self):
        if self.gone and not any(o.pipe is not None for o in self.outputs): commands.pop(self.id, None)
    def look(self, now):
        """Somebody whom the command left behind holds its outputs: says so once nothing comes any more."""
        if self.silent or now - self.heard < QUIET or any(o.pipe is not None and not o.listening for o in self.outputs): return
        self.silent = True
        send(b"Q", self.id)

ENOENT, ENOEXEC, ENOTDIR, EACCES = 2, 8, 20, 13

def find(program, path):
    if b"/" in program: return program
    found = None
    for folder in path.split(b":"):
        place = os.path.join(folder or b".", program)
        if os.path.isfile(place):
            if os.access(place, os.X_OK): return place
            found = found or place
    if found: return found
    raise OSError(ENOENT, "not found")

class NoFolder(Exception): pass

def begin(argv, cwd, env, stdin):
    """Leads a session of its own; its folder is that of this process for a moment."""
    try: os.chdir(cwd)
    except OSError as error: raise NoFolder(error.strerror)
    opened = []
    try:
        program = find(argv[0], env.get(b"PATH", os.defpath.encode()))
        pipes = [os.pipe() if stdin else (os.open("/dev/null", os.O_RDONLY), None), os.pipe(), os.pipe()]
        opened = [fd for pipe in pipes for fd in pipe if fd is not None]
        theirs, ours = [pipes[0][0], pipes[1][1], pipes[2][1]], [pipes[0][1], pipes[1][0], pipes[2][0]]
        actions = [(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate(theirs)]
        options = dict(file_actions=actions, setsid=True, setsigdef=[_signal.SIGPIPE, _signal.SIGXFSZ])
        try: pid = os.posix_spawn(program, argv, env, **options)
        except OSError as error:
            if error.errno != ENOEXEC: raise
            pid = os.posix_spawn(b"/bin/sh", [b"/bin/sh", program, *argv[1:]], env, **options)
        for fd in theirs: os.close(fd)
        return pid, ours
    except BaseException:
        for fd in opened: os.close(fd)
        raise
    finally: os.chdir("/")

# Whether the host has another way to what cannot be started here.
SECOND_WAY = False

def tell_end(id, code): send(b"X", id, END.pack(code))

def start(id, payload):
    mark, cwd, stdin, size, *words = payload.split(b"\0")
    argv, variables = words[:int(size)], words[int(size):]
    try: commands[id] = Command(id, mark, cwd, argv, dict(v.split(b"=", 1) for v in variables if v), stdin == b"1")
    except (OSError, ValueError, NoFolder) as error:
        if SECOND_WAY: return send(b"N", id)
        missing = getattr(error, "errno", None) in (ENOENT, ENOTDIR)
        if isinstance(error, NoFolder): words = b"cannot change to " + cwd + b": " + str(error).encode()
        else: words = argv[0] + b": " + (b"not found" if missing else (getattr(error, "strerror", None) or str(error)).encode())
        send(b"P", id, NUMBER.pack(0))
        send(b"2", id, words + b"\n")
        send(b"1", id)
        send(b"2", id)
        tell_end(id, 127 if missing else 126)

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
            try: os.kill(pid, _signal.SIGKILL); alive = True
            except OSError: pass
        if not alive: return

def family(leader):
    """All that descends from it."""
    parents = {}
    for name in os.listdir("/proc"):
        if not name.isdigit(): continue
        try:
            with open("/proc/%s/stat" % name, "rb") as file: parents[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
        except OSError: pass
    found, size = {leader}, 0
    while size != len(found):
        size = len(found)
        found.update(pid for pid, parent in parents.items() if parent in found)
    return found

def kill(id, payload):
    number, pid, mark = payload.split(b"\0")
    command = commands.get(id)
    wholly = int(number) == _signal.SIGKILL and command is not None and not command.gone
    # What has neither its group nor its mark any more is found by its parents, as long as they live.
    descendants = family(command.pid) if wholly else ()
    if int(pid) > 1:
        try: os.killpg(int(pid), int(number))
        except OSError: pass
    for each in descendants:
        try: os.kill(each, int(number))
        except OSError: pass
    if int(number) == _signal.SIGKILL: end_marked(lambda v: v == b"PTH_EXEC=" + mark)

def end_others(id, payload):
    ids, own = payload.split(b"\0")
    starts = (b"PTH_EXEC=" + ids, b"PTH_AGENT=" + ids)
    end_marked(lambda v: v.startswith(starts) and not v.split(b"=", 1)[1].startswith(own))
    send(b"R", id, b"1")

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

def set_clock(id, payload):
    try:
        time.clock_settime(time.CLOCK_REALTIME, float(payload))
        send(b"R", id, b"1")
    except OSError: send(b"R", id)

def answer(id, payload): send(b"R", id, b"1")

ACTIONS = {b"S": start, b"I": give, b"A": taken, b"K": kill, b"D": drop, b"Z": end_others, b"T": set_clock, b"E": answer}
incoming = bytearray()

def take(data):
    incoming.extend(data)
    at = 0
    while len(incoming) - at >= HEAD.size:
        kind, id, size = HEAD.unpack_from(incoming, at)
        if len(incoming) - at < HEAD.size + size: break
        payload = bytes(incoming[at + HEAD.size:at + HEAD.size + size])
        at += HEAD.size + size
        ACTIONS[kind](id, payload)
    del incoming[:at]

writing = False
def talk_to_host(channel, await_room):
    """What the channel takes now; the rest when it is ready again."""
    global writing
    while outgoing:
        try:
            with memoryview(outgoing) as view: done = os.write(channel, view[:262144])
        except BlockingIOError: break
        except OSError: return False
        del outgoing[:done]
    if bool(outgoing) != writing:
        writing = bool(outgoing)
        await_room(writing)
    if len(outgoing) < FULL and waiting:
        again = list(waiting)
        waiting.clear()
        for output in again: output.listen()
    return True

def serve(host, listen, talk, unsure=lambda: False):
    """Until listening or talking says that it is over."""
    while talk():
        held = [c for c in commands.values() if c.gone and not c.silent]
        ready = [(fd, owners.get(fd)) for fd, _ in poll.poll(0.05 if unsure() or held else -1)]
        for fd, owner in ready:
            if fd == host:
                if not listen(): return
            # What is handled may close what is ready, too.
            elif owner is not None and owners.get(fd) is owner: owner.ready()
        now = time.monotonic()
        for command in held:
            if commands.get(command.id) is command: command.look(now)

def end_commands():
    running = {b"PTH_EXEC=" + c.mark for c in commands.values() if not c.gone}
    for command in commands.values():
        if not command.gone:
            try: os.killpg(command.pid, _signal.SIGKILL)
            except OSError: pass
    if running: end_marked(lambda v: v in running)

def hello(word):
    outgoing.extend(word)
    send(b"H", 0, ("%s\0%d" % (sys.version.split()[0], os.getpid())).encode())

os.chdir("/")
os.pidfd_open, os.posix_spawn # not on every Python, nor every system
_signal.signal(_signal.SIGPIPE, _signal.SIG_IGN)
