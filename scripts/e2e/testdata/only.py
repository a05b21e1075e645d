# Does, by turns, what --only selects and what it does not: for known parts of its CPU time.
import ctypes, gc, sys, threading, time


def spin(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def plain():
    spin(0.004)


def handle():
    try:
        raise KeyError
    except KeyError:
        spin(0.004)
        for _ in generated():
            pass


def generated():
    yield 1
    spin(0.002)
    yield 2


def collect():
    gc.collect()


def hold():
    ctypes.PyDLL(None).sleep(1000)  # keeps the GIL


def wait():
    threading.Event().wait()


kept = [[n] for n in range(200000)]
gc.disable()
what = {"exception": handle, "gc": collect, "gil": hold}[sys.argv[1]]
threading.Thread(target=wait, daemon=True).start()
time.sleep(0.1)
threading.Thread(target=plain, daemon=True).start()
print("ready", flush=True)
while True:
    what()
    plain()
