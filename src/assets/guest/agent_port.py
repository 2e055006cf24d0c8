# Waits at a port of the machine's own, named PORT, and serves one connection after the other; each begins with WORD. The
# host puts both before this text.
EDGE = select.EPOLLET

def find_port():
    for name in os.listdir("/sys/class/virtio-ports"):
        with open("/sys/class/virtio-ports/%s/name" % name) as file:
            if file.read().strip() == PORT: return "/dev/" + name
    raise OSError("the machine has no port for it")

port = os.open(find_port(), os.O_RDWR | os.O_NONBLOCK)
last, serving, away = b"", None, None
GRACE = 0.5

class Remains:
    """A command that was killed: still to be reaped."""
    def __init__(self, command): self.pid, self.watch = command.pid, command.watch
    def ready(self):
        os.waitpid(self.pid, 0)
        leave(self.watch)
        os.close(self.watch)

def start_over():
    """Ends and forgets what the last connection had."""
    global serving, away
    serving = away = None
    end_commands()
    for command in commands.values():
        command.input.close()
        for output in command.outputs:
            if output.pipe is None: continue
            if output.listening: leave(output.pipe)
            os.close(output.pipe)
            output.pipe, output.listening = None, False
        if not command.gone: owners[command.watch] = Remains(command)
    for held in (commands, waiting, outgoing, incoming): held.clear()

def listen_at_port():
    global last, away
    while True:
        try: data = os.read(port, 65536)
        except BlockingIOError: return True
        if not data:
            if serving is not None and away is None: away = time.monotonic()
            return True
        seen = last + data
        at = seen.rfind(WORD)
        if at >= 0:
            start_over()
            data = seen = seen[at + len(WORD):]
        last = seen[1 - len(WORD):]
        try:
            if at >= 0 or serving is not None: take(data)
        except Exception: lose()

def lose():
    start_over()
    send(b"L", 0)

def is_away():
    """Tells whether the host seems to be gone: the guest hears of its coming and going later than of what it says."""
    global away
    if away is None: return False
    look = select.poll()
    look.register(port, 0)
    if not look.poll(0): away = None
    elif time.monotonic() - away > GRACE: lose()
    return away is not None

def open_for(id, payload):
    global serving
    serving = payload
    hello(GREETING[:-1] + b" " + payload + b"\0")

def is_still(id, payload): send(b"R", id, b"1" if payload == serving else b"")

def await_room_at_port(wanted): poll.modify(port, IN | EDGE | (OUT if wanted else 0))

ACTIONS[b"O"], ACTIONS[b"E"] = open_for, is_still
if os.fork(): os._exit(0)
os.setsid()
nothing = os.open("/dev/null", os.O_RDWR)
for fd in (0, 1, 2): os.dup2(nothing, fd)
# Edge-triggered: a port that has no connection is ready all the time.
attend(port, IN | EDGE, None)
serve(port, listen_at_port, lambda: talk_to_host(port, await_room_at_port), is_away)
