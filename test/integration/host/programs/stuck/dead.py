import sys
import threading
import time

first, second = threading.Lock(), threading.Lock()


def store():
    with first:
        time.sleep(0.1)
        with second:
            pass


def load():
    with second:
        time.sleep(0.1)
        with first:
            pass


if sys.argv[1] == "endless":
    while True:
        pass
threads = [threading.Thread(target=store, name="store"), threading.Thread(target=load, name="load")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
