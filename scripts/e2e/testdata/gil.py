# Threads that wait for the GIL. PyDLL calls a function of C with the GIL held.
import ctypes, sys, threading, time

holding, free = ctypes.PyDLL(None), ctypes.CDLL(None)
holding.pthread_mutex_lock.argtypes = free.pthread_mutex_lock.argtypes = [ctypes.c_void_p]
mutex = (ctypes.c_char * 64).from_buffer(bytearray(64))
at = ctypes.addressof(mutex)
taken = threading.Event()


def work():  # holds the GIL in a function of C
    holding.sleep(1000)


def lock():  # has the mutex, and waits for the GIL
    free.pthread_mutex_lock(at)
    taken.set()
    free.usleep(2000000)


def rest():
    free.usleep(2000000)


if sys.argv[1] == "held":
    threads = [threading.Thread(target=rest, daemon=True) for _ in range(3)]
    for t in threads:
        t.start()
    print("ready", flush=True)
    work()
elif sys.argv[1] == "deadlock":
    threading.Thread(target=lock, daemon=True).start()
    taken.wait()
    print("ready", flush=True)
    holding.pthread_mutex_lock(at)
else:  # threads that pass the GIL to one another
    def spin():
        while True:
            pass
    for _ in range(3):
        threading.Thread(target=spin, daemon=True).start()
    print("ready", flush=True)
    spin()
