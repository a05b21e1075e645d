"""A server of which nothing is asked.

usage: server.py threads N DEPTH | busy | tasks N
"""
import asyncio
import sys
import threading
import time


def call(depth, last):
    if depth > 1:
        return call(depth - 1, last)
    return last()


def wait():
    threading.Event().wait()


def threads(n, depth):
    for i in range(n - 1):
        threading.Thread(target=call, args=(depth, wait), name="worker-%d" % i, daemon=True).start()
    print("ready", flush=True)
    call(depth, wait)


def spin():
    n = 0
    while True:
        n = (n * 31 + 7) % 1000003


def busy():
    print("ready", flush=True)
    call(30, spin)


async def fetch(event):
    await event.wait()


async def handle(event):
    await fetch(event)


async def serve(n):
    event = asyncio.Event()
    all = asyncio.gather(*[handle(event) for _ in range(n)])
    await asyncio.sleep(0.5)
    print("ready", flush=True)
    await all


def tasks(n):
    asyncio.run(serve(n))


if __name__ == "__main__":
    globals()[sys.argv[1]](*map(int, sys.argv[2:]))
