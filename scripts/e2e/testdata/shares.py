# Burns CPU in three functions by turns: 70, 20 and 10 % of it in each.
import time


def spin(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def energy():
    spin(0.007)


def mass():
    spin(0.002)


def rest():
    spin(0.001)


print("ready", flush=True)
while True:
    energy()
    mass()
    rest()
