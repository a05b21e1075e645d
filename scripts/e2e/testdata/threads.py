# Threads ten calls deep that sleep, wait for a lock, and read from a pipe.
import os
import sys
import threading
import time


def deep(n, f):
    if n:
        return deep(n - 1, f) + 1
    arrived.release()
    f()
    return 0


arrived = threading.Semaphore(0)
lock = threading.Lock()
lock.acquire()
read_end, write_end = os.pipe()
waits = [lambda: time.sleep(3600), lock.acquire, lambda: os.read(read_end, 1)]
for wait in waits:
    threading.Thread(target=deep, args=(10, wait), daemon=True).start()
for _ in waits:
    arrived.acquire()
print("ready", flush=True)
sys.stdin.read(1)
