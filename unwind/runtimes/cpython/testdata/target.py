"""Blocks in known places, and writes the frames of all threads to a file.

usage: target.py OUT THREADS SCENARIO...

Each thread blocks on a line marked "blocks". The watcher waits until all have reached
theirs, writes what the interpreter says of them, and blocks, too.
"""
import functools
import json
import linecache
import os
import socket
import sys
import threading
import time

never = threading.Lock()
never.acquire()
names = {}  # native thread id by Python's
scenarios = {}


def scenario(f):
    scenarios[f.__name__] = f
    return f


def block():
    never.acquire()  # blocks


@scenario
def plain():
    block()


@scenario
def sleeps():
    time.sleep(100000)  # blocks


@scenario
def reads():
    a, b = socket.socketpair()
    a.recv(1)  # blocks


class Base:
    def run(self):
        self.step()

    @classmethod
    def made(cls):
        return cls().run()

    @staticmethod
    def still():
        block()


class Derived(Base):
    class Inner:
        def __init__(self, then):
            then()

        def __enter__(self):
            block()

        def __exit__(self, *_):
            pass

    def step(self):
        self.property

    @property
    def property(self):
        with self.Inner(self.__str__):
            pass

    def __str__(self):
        return "x"

    def __getattr__(self, name):
        block()

    def __lt__(self, other):
        block()


@scenario
def methods():
    Derived.made()


@scenario
def attribute():
    Derived().missing


@scenario
def compares():
    sorted([Derived(), Derived()])


@scenario
def constructs():
    def then():
        Base.still()
    Derived.Inner(then)


@scenario
def generator():
    def numbers():
        yield 1
        yield from more()

    def more():
        block()
        yield 2
    for _ in numbers():
        pass


@scenario
def expression():
    return sum(x for x in (block() or y for y in range(3)))


@scenario
def comprehension():
    return [[block() for _ in range(2)]
            for _ in range(3)]


@scenario
def lambdas():
    return (lambda f: (lambda: f())())(lambda: block())


@scenario
def key():
    return sorted([3, 1, 2], key=lambda x: block())


@scenario
def mapped():
    return list(map(functools.partial(lambda a, b: block(), 1), [1, 2]))


@scenario
def several_lines():
    return max(
        1,
        int(
            2,
        ) if False else
        block(),
        3,
    )


@scenario
def recursion(n=500):
    if n == 0:
        return block()
    return recursion(n - 1)


@scenario
def qsort():
    import ctypes
    compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)

    def by(a, b):
        block()
        return 0
    array = (ctypes.c_int * 3)(3, 1, 2)
    ctypes.CDLL(None).qsort(array, 3, ctypes.sizeof(ctypes.c_int), compare(by))


@scenario
def coroutine():
    async def outer():
        async with Closing():
            await inner()

    async def inner():
        async for _ in agen():
            pass

    async def agen():
        yield block()

    class Closing:
        async def __aenter__(self):
            return self

        async def __aexit__(self, *_):
            pass
    outer().send(None)


class Finalized:
    def __del__(self):
        block()


@scenario
def finalizer():
    def over():
        x = Finalized()
        return x is None
    return over()


@scenario
def finalizer_below():
    def over(_):
        x = Finalized()
        return x is None
    return sorted([1, 2], key=over)


@scenario
def raising():
    try:
        raise ValueError
    except ValueError as e:
        try:
            e.with_traceback(None)
        finally:
            block()


@scenario
def decorated():
    @functools.lru_cache(maxsize=None)
    def f(x):
        @functools.wraps(block)
        def g(*a, **k):
            return block(*a, **k)
        return g()
    f(1)


def executed(name, file):
    source = "def %s():\n    block()\n\n\n%s()\n" % (name, name)
    exec(compile(source, file, "exec"), {"block": block})


@scenario
def latin():
    executed("caf\u00e9", "/tmp/caf\u00e9.py")


@scenario
def wide():
    executed("\u03b1\u03b2", "/tmp/\u03b1.py")


@scenario
def astral():
    executed("f", "/tmp/\U0001f40d.py")


@scenario
def not_utf8():
    executed("f", os.fsdecode(b"/tmp/\xff\xfe.py"))


@scenario
def far():
    source = "def f():" + "\n" * 300 + "    x = 1" + "\n" * 70000 + "    block()\n\nf()\n"
    exec(compile(source, "far.py", "exec"), {"block": block})


@scenario
def back():
    source = "def f(b):\n" + "    x = 1\n" * 200 + "    while True:\n        if b:\n            g(\n" + "\n" * 200 + "            b)\n        b = g\nf(0)\n"
    exec(compile(source, "back.py", "exec"), {"g": lambda _: block()})


@scenario
def long_function():
    source = "def f(x):\n" + "    x = [x, x, (x, 2)]\n    x = x[0]\n" * 3000 + "    block()\nf(1)\n"
    exec(compile(source, "long.py", "exec"), {"block": block})


@scenario
def imports():
    with open(sys.argv[1] + ".d/blocking_module.py", "w") as f:
        f.write("from __main__ import block\n\n\nclass Body:\n    block()\n")
    import blocking_module


@scenario
def evaluated():
    eval("block()")


@scenario
def signalled():
    import _thread
    Signal = type("Signal", (), {"__call__": lambda self: block()})
    functools.reduce(lambda a, b: Signal()(), [1, 2])


@scenario
def subinterpreter():  # for a process of its own: it does not go well with other modules
    try:
        import _interpreters as interpreters
    except ImportError:
        import _xxsubinterpreters as interpreters
    # One with its own memory would not survive sys._current_frames.
    shared = {"isolated": False} if sys.version_info[:2] == (3, 12) else {}
    legacy = ["legacy"] if sys.version_info >= (3, 13) else []
    other = interpreters.create(*legacy, **shared)  # it keeps a thread state for this thread
    getattr(interpreters, "exec" if sys.version_info >= (3, 13) else "run_string")(other, "x = 1")
    block()


def started(run):
    threading.current_thread()
    names[threading.get_ident()] = threading.get_native_id()
    run()


def reached(frame):
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
    return "# blocks" in line


def told(frame):
    frames = []
    while frame:
        code = frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        file = os.fsencode(code.co_filename).hex()
        frames.append([name, file, frame.f_lineno or 0])
        frame = frame.f_back
    return frames


def watch(out, expected):
    names[threading.get_ident()] = threading.get_native_id()
    me = threading.get_ident()
    while True:
        frames = sys._current_frames()
        others = {k: v for k, v in frames.items() if k != me}
        if len(others) == expected and len(names) == expected + 1 and all(map(reached, others.values())):
            break
        del frames, others
        time.sleep(0.01)
    threads = {names[k]: told(v) for k, v in others.items()}
    named = {names[t.ident]: t.name for t in threading.enumerate()}
    with open(out + ".tmp", "w") as f:
        json.dump({"threads": threads, "handles": names, "named": named}, f)
    os.rename(out + ".tmp", out)
    time.sleep(100000)


class Attributes(threading.Thread):
    """Has more attributes than fit into an object."""
    def __init__(self, **keywords):
        for i in range(100):
            setattr(self, "a%d" % i, i)
        super().__init__(**keywords)


class Slots(threading.Thread):
    __slots__ = ("slot",)


def start(i, run):
    """Starts a thread whose name is kept in one of many ways."""
    keywords = dict(target=started, args=(run,), daemon=True)
    if i % 7 == 1:
        threading.Thread(**keywords).start()
    elif i % 7 == 2:
        Attributes(name="of many attributes %d" % i, **keywords).start()
    elif i % 7 == 3:
        thread = threading.Thread(name="with a dict of its own", **keywords)
        thread.kept = vars(thread)
        thread.start()
    elif i % 7 == 4:
        thread = threading.Thread(**keywords)
        thread.start()
        thread.name = "na\u00efve \u03b1 \U0001f40d"
    elif i % 7 == 5:
        Slots(name="slots", **keywords).start()
    elif i % 7 == 6:
        import _thread
        _thread.start_new_thread(started, (run,))  # which threading knows once it is asked for
    else:
        threading.Thread(name="worker-%d" % i, **keywords).start()


def main():
    out, count, chosen = sys.argv[1], int(sys.argv[2]), sys.argv[3:] or [s for s in scenarios if s != "subinterpreter"]
    sys.setrecursionlimit(3000)
    sys.path.insert(0, out + ".d")
    os.makedirs(out + ".d", exist_ok=True)
    runs = [scenarios[chosen[i % len(chosen)]] for i in range(max(count, len(chosen)))]
    threading.Thread(target=watch, args=(out, len(runs)), daemon=True).start()
    for i, run in enumerate(runs[1:]):
        start(i, run)
    started(runs[0])


if __name__ == "__main__":
    main()
