"""Has tasks of asyncio that wait in known places, and writes what asyncio says of them.

usage: aio.py OUT TASKS SCENARIO...

A callback of the loop, in which no task runs, waits until each task awaits a future,
writes them, and the loop goes idle.
"""
import asyncio
import gc
import json
import os
import sys

names = {}
kept = []


def scenario(f):
    names[f.__name__] = f
    return f


async def fetch(lock):
    async with lock:
        pass


async def handler(lock):
    await fetch(lock)


@scenario
async def locks(n):
    lock = asyncio.Lock()
    await lock.acquire()
    await asyncio.gather(*[handler(lock) for _ in range(n)])


@scenario
async def sleeps(n):
    await asyncio.wait([asyncio.ensure_future(asyncio.sleep(1e6)) for _ in range(n)])


@scenario
async def queues(n):
    queue = asyncio.Queue(1)
    await queue.put(1)
    kept.append(queue)
    for i in range(n):
        kept.append(asyncio.ensure_future(queue.put(2)))
    await queue.join()


@scenario
async def timeouts(n):
    async def one():
        await asyncio.wait_for(asyncio.Event().wait(), 1e6)
    await asyncio.gather(*[one() for _ in range(n)], asyncio.get_running_loop().create_future())


@scenario
async def groups(n):
    if not hasattr(asyncio, "TaskGroup"):
        return await sleeps(n)
    async with asyncio.TaskGroup() as group:
        for i in range(n):
            group.create_task(nested(i % 40), name="Knoten-\u4e2d%d" % i)


async def nested(depth):
    if depth:
        return await nested(depth - 1)
    await asyncio.get_running_loop().create_future()


async def numbers():
    yield 1
    await asyncio.sleep(1e6)
    yield 2


async def outer():
    async for n in numbers():
        yield n


class Awaitable:
    def __await__(self):
        yield from asyncio.sleep(1e6).__await__()


@scenario
async def generators(n):
    async def one(i):
        if i % 2:
            async for _ in outer():
                pass
        await Awaitable()
    await asyncio.gather(*[one(i) for i in range(n)])


@scenario
async def joins(n):
    async def one(other):
        await other
    last = asyncio.ensure_future(asyncio.Semaphore(0).acquire())
    for _ in range(n):
        last = asyncio.ensure_future(one(last))
    await last


@scenario
async def circle(n):
    tasks = []

    async def one(i):
        await tasks[(i + 1) % n]
    for i in range(n):
        tasks.append(asyncio.ensure_future(one(i)))
    await asyncio.get_running_loop().create_future()


@scenario
async def many(n):
    for i in range(n):
        kept.append(asyncio.ensure_future(handler(kept[0])))
    await kept[-1]


def code_name(code, awaitable):
    return getattr(code, "co_qualname", None) or awaitable.__qualname__


def chain(awaitable):
    frames = []
    while awaitable is not None:
        for kind in "cr", "gi", "ag":
            if hasattr(awaitable, kind + "_frame"):
                frame = getattr(awaitable, kind + "_frame")
                code = frame.f_code
                frames.append([code_name(code, awaitable), os.fsencode(code.co_filename).hex(), frame.f_lineno])
                awaitable = getattr(awaitable, {"cr": "cr_await", "gi": "gi_yieldfrom", "ag": "ag_await"}[kind])
                break
        else:
            name = type(awaitable).__name__
            inner = {"async_generator_asend": "async_generator", "coroutine_wrapper": "coroutine"}.get(name)
            awaitable = next((r for r in gc.get_referents(awaitable) if type(r).__name__ == inner), None)
    return frames


def write(out, loop, was):
    tasks = asyncio.all_tasks(loop)
    if any(t._fut_waiter is None for t in tasks) or len(tasks) != was:
        loop.call_soon(write, out, loop, len(tasks))
        return
    said = [{"id": id(t), "name": t.get_name(), "frames": chain(t.get_coro()),
             "awaits": id(t._fut_waiter) if isinstance(t._fut_waiter, asyncio.Task) else 0} for t in tasks]
    with open(out + ".part", "w") as f:
        json.dump({"Tasks": said}, f)
    os.rename(out + ".part", out)


async def main():
    loop = asyncio.get_running_loop()
    kept.append(asyncio.Lock())
    await kept[0].acquire()
    for name in sys.argv[3:]:
        kept.append(loop.create_task(names[name](int(sys.argv[2]))))
    loop.call_soon(write, sys.argv[1], loop, 0)
    await asyncio.Event().wait()


asyncio.run(main())
