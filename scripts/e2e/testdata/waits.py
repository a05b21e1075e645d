# Blocks the main thread in the way that the argument names, after printing a line.
import concurrent.futures, multiprocessing, queue, subprocess, sys, threading, time


def ready():
    print("ready", flush=True)


def spawn(f, *args):
    t = threading.Thread(target=f, args=args, daemon=True)
    t.start()
    return t


def held(lock):
    def hold():
        lock.acquire()
        taken.set()
        time.sleep(1000)
    taken = threading.Event()
    spawn(hold)
    taken.wait()
    ready()
    return lock


def lock(): held(threading.Lock()).acquire()
def rlock(): held(threading.RLock()).acquire()
def semlock(): held(multiprocessing.Lock()).acquire()
def event(): ready(); threading.Event().wait()
def event_timeout(): ready(); threading.Event().wait(1000)
def semaphore(): ready(); threading.Semaphore(0).acquire()
def barrier(): ready(); threading.Barrier(2).wait()
def get(): ready(); queue.Queue().get()
def simple_get(): ready(); queue.SimpleQueue().get()
def result(): ready(); concurrent.futures.Future().result()
def futures(): ready(); concurrent.futures.wait([concurrent.futures.Future()])


def with_lock():
    with held(threading.Lock()):
        pass


def enter():
    with held(threading.Condition()):
        pass


def condition():
    c = threading.Condition()
    ready()
    with c:
        c.wait()


def condition_for():
    c = threading.Condition()
    ready()
    with c:
        c.wait_for(lambda: False)


def join(): t = spawn(time.sleep, 1000); ready(); t.join()
def join_timeout(): t = spawn(time.sleep, 1000); ready(); t.join(1000)


def put():
    q = queue.Queue(1)
    q.put(1)
    ready()
    q.put(2)


def queue_join():
    q = queue.Queue()
    q.put(1)
    ready()
    q.join()


def completed():
    ready()
    for _ in concurrent.futures.as_completed([concurrent.futures.Future()]):
        pass


def shutdown():
    e = concurrent.futures.ThreadPoolExecutor(1)
    e.submit(time.sleep, 1000)
    ready()
    e.shutdown()


def child():
    p = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    ready()
    p.wait()


def sleep(): ready(); time.sleep(1000)


globals()[sys.argv[1]]()
