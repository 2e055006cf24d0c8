/**
 * The agent that waits in a golden state, at a port of the machine's own that no network leads to: to a machine that
 * goes on from there, or from a snapshot, no login has to be made and no Python started, which take two seconds where it
 * is emulated.
 *
 * The port carries one connection at a time, and neither end hears reliably of the other's: a machine that went back in
 * time still believes in the connection that it had then. So whoever connects says a word first that only holders of
 * the guest's key know, wherever the guest believes the stream to be, and all before it is over.
 *
 * | to the guest, beside what every agent knows | from the guest                                       |
 * | ------------------------------------------- | ---------------------------------------------------- |
 * | the word                                    |                                                      |
 * | `O` open: id of the agent that it becomes   | that id in the greeting, then `H`                    |
 * | `E` is it still that agent: its id          | `R` "1" if so                                        |
 * |                                             | `L` lost: it has ended and forgotten all             |
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { agentBody, greeting } from "./agent_script.ts";

/** Name of the port, on either side. */
export const portName = "org.plugin-test-harness.agent";

/** No kind of frame: what an agent reads of a word before it knows it all ends its reading. */
const noKind = Buffer.from([0xff]);

/** The word; it lies in no file that anybody would copy into a guest. */
export const wordOf = (privateKey: string): Buffer =>
  Buffer.concat([noKind, createHash("sha256").update(`agent of ${privateKey.trim()}`).digest()]);

/** What such an agent says first: an answer to somebody before is none to whoever asks now. */
export const greetingTo = (agentId: string): string => greeting.replace(/\0$/, ` ${agentId}\0`);

/** Ends once an agent waits, with 0; else with why none can. */
export const waitingScript = (word: Buffer): string =>
  agentBody + String.raw`
WORD = bytes.fromhex("${word.toString("hex")}")
EDGE = select.EPOLLET

def find_port():
    for name in os.listdir("/sys/class/virtio-ports"):
        with open("/sys/class/virtio-ports/%s/name" % name) as file:
            if file.read().strip() == "${portName}": return "/dev/" + name
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
    """Nobody is there, it seems: the guest hears of who comes and goes later than of what they say."""
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
    hello(b"\0PTH-AGENT-1 " + payload + b"\0")

def is_still(id, payload): send(b"R", id, b"1" if payload == serving else b"")

def await_room_at_port(wanted): poll.modify(port, IN | EDGE | (OUT if wanted else 0))

ACTIONS[b"O"], ACTIONS[b"E"] = open_for, is_still
if os.fork(): os._exit(0)
os.setsid()
nothing = os.open("/dev/null", os.O_RDWR)
for fd in (0, 1, 2): os.dup2(nothing, fd)
# Told once: a port that nobody is connected to is ready all the time.
attend(port, IN | EDGE, None)
serve(port, listen_at_port, lambda: talk_to_host(port, await_room_at_port), is_away)
`;
