# Serves the channel that the agent was started over.
def listen_to_host():
    try: data = os.read(0, 262144)
    except BlockingIOError: return True
    except OSError: return False
    take(data)
    return bool(data)

def await_room(wanted):
    if wanted: attend(1, OUT, None)
    else: leave(1)

os.set_blocking(0, False)
os.set_blocking(1, False)
attend(0, IN, None)
hello(GREETING)
try: serve(0, listen_to_host, lambda: talk_to_host(1, await_room))
finally: end_commands()
