"""usage: aio.py lock|circle|busy. Has 1,000 tasks of asyncio that wait for one lock, or three
that await each other, and writes a line once all wait. With busy it computes from then on.
"""
import asyncio
import sys


async def fetch(lock):
    async with lock:
        pass


async def handler(lock):
    await fetch(lock)


async def one(tasks, i):
    await tasks[(i + 1) % len(tasks)]


def tell():
    tasks = asyncio.all_tasks(asyncio.get_running_loop())
    if any(t._fut_waiter is None for t in tasks):
        asyncio.get_running_loop().call_soon(tell)
    else:
        print("ready", flush=True)
        while sys.argv[1] == "busy":
            pass


async def main():
    asyncio.get_running_loop().call_soon(tell)
    if sys.argv[1] == "circle":
        tasks = []
        tasks += [asyncio.ensure_future(one(tasks, i)) for i in range(3)]
        await asyncio.gather(*tasks)
    lock = asyncio.Lock()
    await lock.acquire()
    await asyncio.gather(*[handler(lock) for _ in range(999)])


asyncio.run(main())
