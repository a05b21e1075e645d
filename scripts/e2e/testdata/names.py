import threading
import time


def work():
    time.sleep(1000)


def begin():
    for i in range(3):
        threading.Thread(target=work, name="worker-%d of the shop" % i, daemon=True).start()
    print("ready", flush=True)
    time.sleep(1000)


begin()
