# Keeps the agent out of the reach of other processes of its user, which may be a plugin's: they can end it or stop it, and no
# more. Comes between agent.py and agent_stdio.py, and behind OOM_SCORE; ends at once where that cannot be had.
import ctypes, resource
SYS_PTRACE, PR_GET_DUMPABLE, PR_SET_DUMPABLE = 19, 3, 4

def own(name):
    with open("/proc/self/" + name, "rb") as file: return file.read()

def become_untraceable():
    """Its memory and its pipes are then open to holders of CAP_SYS_PTRACE alone: there must be none."""
    status = dict(line.split(":\t", 1) for line in own("status").decode("latin-1").splitlines())
    if int(status["CapBnd"], 16) >> SYS_PTRACE & 1: sys.exit("others may trace it here")
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    if prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 or prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0:
        sys.exit("it cannot make itself untraceable")
    if int(status["TracerPid"]) != 0: sys.exit("it is traced")

def inherited():
    """What commands have of this process that others of its user may change: limits, priority, processors."""
    limits = [resource.getrlimit(getattr(resource, name)) for name in dir(resource) if name.startswith("RLIMIT_")]
    return limits, os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0), os.sched_getaffinity(0), own("oom_score_adj")

def start_if_unchanged(id, payload):
    if inherited() != at_first: return send(b"N", id)
    start(id, payload)
    if OOM_SCORE and id in commands:
        try:
            with open("/proc/%d/oom_score_adj" % commands[id].pid, "wb") as file: file.write(b"%d" % OOM_SCORE)
        except OSError: pass # it has ended

def rename():
    """Lists of processes, and who ends all of a name, see it as what it is. Its words lie where the kernel put them."""
    with open("/proc/self/comm", "wb") as file: file.write(b"pth-agent")
    start, end = map(int, own("stat").rpartition(b")")[2].split()[45:47])
    ctypes.memset(start, 0, end - start)
    ctypes.memmove(start, b"pth-agent", min(9, end - start))

become_untraceable()
rename()
# Python may have changed its own copy, for the language.
BASE = {k: v for k, _, v in (each.partition(b"=") for each in own("environ").split(b"\0") if each) if k != b"PTH_EXEC"}
at_first, SECOND_WAY, ACTIONS[b"S"] = inherited(), True, start_if_unchanged
