# Threads that block in known places. Prints, as a line of JSON, the stack of each by its
# system number, the innermost frame first: function, file and line as Python itself has them.
import ctypes, functools, json, sys, threading

gate = threading.Lock()
gate.acquire()
waiting = []
libc = ctypes.CDLL(None)


def block():
    waiting.append(threading.get_native_id()); gate.acquire()


class Account:
    def transfer(self, n):
        return self.check(n)

    def check(self, n):
        block()

    @staticmethod
    def audit():
        block()

    class Ledger:
        @property
        def balance(self):
            return block()


def closure():
    def inner():
        (lambda: block())()
    inner()


def generate():
    yield 1
    yield block()


def delegate():
    yield from generate()


def comprehension():
    return [block() for _ in range(2)]


def decorated(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args)
    return wrapper


@decorated
def wrapped():
    block()


def recurse(n):
    if n == 0:
        return block()
    return recurse(n - 1)


def callback():
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    libc.qsort((ctypes.c_int * 2)(2, 1), 2, 4, kind(lambda a, b: block() or 0))


def sort():
    sorted([2, 1], key=lambda n: block())


def handled():
    try:
        raise KeyError
    except KeyError:
        with threading.Lock():
            block()


def long_lines(
        first=1,
        second=2):
    return (first +
            (second or
             0) +
            (block()
             or 0))


kinds = [
    lambda: Account().transfer(1), Account.audit, lambda: Account.Ledger().balance, closure,
    lambda: list(delegate()), comprehension, wrapped, lambda: recurse(400), callback, sort, handled, long_lines,
    functools.partial(exec, "def made():\n  block()\n\nmade()", {"block": block}),
]
threads = [threading.Thread(target=kind, daemon=True) for kind in kinds * int(sys.argv[1])]
for t in threads:
    t.start()


def stack(frame):
    frames = []
    while frame:
        code = frame.f_code
        frames.append([getattr(code, "co_qualname", code.co_name), code.co_filename, frame.f_lineno])
        frame = frame.f_back
    return frames


while len(waiting) < len(threads):
    pass
current = sys._current_frames()
print(json.dumps({t.native_id: stack(current[t.ident]) for t in threads}), flush=True)
gate.acquire()
