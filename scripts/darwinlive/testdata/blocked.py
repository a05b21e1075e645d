"""usage: blocked.py FILE. Has threads that wait for a lock, one that sleeps, and one whose event
loop has tasks that wait for an asyncio.Lock. Once all are blocked, writes to FILE what Python
itself has of each thread, by its system number, and of each task: function, file and line of each
frame, the innermost first. Then it says its pid.
"""
import asyncio, json, linecache, os, sys, threading, time

gate = threading.Lock()
gate.acquire()
loops = []


class Account:
    def transfer(self, cents):
        return self.post(cents)

    def post(self, cents):
        with gate:
            return cents


def recurse(n):
    if n == 0:
        gate.acquire()
    else:
        recurse(n - 1)


def doze():
    for hours in (1, 2):
        time.sleep(hours * 3600)


async def fetch(lock):
    async with lock:
        pass


async def handle(lock):
    await fetch(lock)


async def serve():
    loops.append(asyncio.get_running_loop())
    lock = asyncio.Lock()
    await lock.acquire()
    await asyncio.gather(*[handle(lock) for _ in range(3)])


def frames_of(frame):
    frames = []
    while frame:
        frames.append([frame.f_code.co_qualname, frame.f_code.co_filename, frame.f_lineno])
        frame = frame.f_back
    return frames


def frames_of_task(graph):
    frames = [frame for entry in graph.call_stack for frame in frames_of(entry.frame)[:1]]
    for waiter in graph.awaited_by[:1]:
        frames += frames_of_task(waiter)
    return frames


kinds = [lambda: Account().transfer(5), lambda: recurse(100), doze, lambda: asyncio.run(serve())]
threads = [threading.Thread(target=kind, daemon=True) for kind in kinds]
for t in threads:
    t.start()


def account():
    current = sys._current_frames()
    tasks = asyncio.all_tasks(loops[0]) if loops else []
    return {
        "threads": {t.native_id: frames_of(current[t.ident]) for t in threads},
        "tasks": [frames_of_task(asyncio.capture_call_graph(t)) for t in tasks],
    }


def all_blocked(now):
    lines = [linecache.getline(*frames[0][1:]) for frames in now["threads"].values()]
    waiting = [frames for frames in now["tasks"] if frames[0][0] in ("Lock.acquire", "serve")]
    return all(any(call in line for call in calls) for line in lines) and len(waiting) == 4


calls = ["with gate:", "gate.acquire()", "time.sleep(", "_selector.control("]
now = account()
while not all_blocked(now):
    now = account()
with open(sys.argv[1], "w") as f:
    json.dump(now, f)
print(os.getpid(), "ready", flush=True)
gate.acquire()
