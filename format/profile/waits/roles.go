package waits

import "sync"

// roles are what known functions say of a thread that waits in them. A name of C++ or Rust is given
// with as many of its namespaces as distinguish it from others.
var roles = sync.OnceValue(func() map[string]role {
	return roleTable(map[role][]string{loopRole: knownLoops, workerRole: knownWorkers, waiterRole: knownWaiters})
})

func roleTable(of map[role][]string) map[string]role {
	table := map[string]role{}
	for is, names := range of {
		for _, name := range names {
			table[name] = is
		}
	}
	return table
}

// knownLoops are event loops, which wait for whatever comes next.
var knownLoops = []string{
	"ngx_process_events_and_timers", "ngx_epoll_process_events", "ngx_poll_process_events", "ngx_kqueue_process_events", // nginx
	"ngx_master_process_cycle", "ngx_worker_process_cycle", "ngx_cache_manager_process_cycle",
	"aeProcessEvents", "aeApiPoll", "aeMain", // Redis, Valkey
	"uv__io_poll", "uv_run", // libuv, and so Node
	"g_main_loop_run", "g_main_context_iterate", "g_main_context_iterate_unlocked", "g_main_context_poll", "g_application_run", "gtk_main", // GLib
	"event_base_loop", "event_base_dispatch", "ev_run", "ev_loop", // libevent, libev
	"sd_event_wait", "sd_event_run", "sd_event_loop", "_dbus_loop_iterate", "_dbus_loop_run", // systemd, D-Bus
	"CFRunLoopRun", "CFRunLoopRunInMode", "CFRunLoopRunSpecific", "__CFRunLoopRun", "__CFRunLoopServiceMachPort", // Apple
	"-[NSApplication run]", "-[NSRunLoop(NSRunLoop) runMode:beforeDate:]", "NSApplicationMain", "UIApplicationMain",
	"BaseServer.serve_forever", "serve_forever", // Python's socketserver
	"dispatch_main", "_dispatch_sigsuspend", "xpc_main", "mach_msg_server",
	"QEventDispatcherUNIX::processEvents", "QEventDispatcherGlib::processEvents", "QEventLoop::exec", // Qt
	"epoll_reactor::run", "kqueue_reactor::run", "detail::scheduler::run", // Boost.Asio
	"run_poll_loop", "_do_poll", // HAProxy
	"server_accept_loop", "ap_mpm_run", "listener_thread", // OpenSSH, Apache
	"Mysqld_socket_listener::listen_for_connection_event", "handle_connections_sockets", // MySQL, MariaDB
	"ServerLoop", "SocketBackend", "ReadCommand", "pq_getbyte", "BackgroundWriterMain", "CheckpointerMain", "WalWriterMain", // PostgreSQL
	"AutoVacLauncherMain", "StartAutoVacLauncher", "ApplyLauncherMain", "LogicalRepApplyLoop", "PgArchiverMain", "pgarch_MainLoop", "SysLoggerMain",
	"PgstatCollectorMain", "WalReceiverMain", "WalSndLoop",
}

// knownWorkers wait for work: threads of pools and of language runtimes. They show nothing about
// the main thread, because what the workers' tasks wait for is on no stack.
var knownWorkers = []string{
	"ngx_thread_pool_cycle", "bioProcessBackgroundJobs", "background_thread_entry", "background_work_sleep_once",
	"g_thread_pool_thread_proxy", "g_thread_pool_wait_for_new_task",
	"DefaultWorkerThreadsTaskRunner::WorkerThread::Run", "node::PlatformWorkerThread", "PlatformWorkerThread",
	"WorkerThreadsTaskRunner::DelayedTaskScheduler::Run", "node::inspector::StartIoThreadMain",
	"WorkerThread::run", "GangWorker::run", "GangWorker::loop", "VMThread::loop", "VMThread::wait_for_vm_operation", "WatcherThread::run", "WatcherThread::sleep", // HotSpot
	"CompileBroker::compiler_thread_loop", "ConcurrentGCThread::run", "ServiceThread::service_thread_entry", "MonitorDeflationThread::monitor_deflation_thread_entry",
	"signal_thread_entry", "NotificationThread::notification_thread_entry",
	"runtime.findRunnable", "runtime.findrunnable", "runtime.sysmon", "runtime.netpoll", "runtime.stopm", "runtime.templateThread", // Go
	"multi_thread::worker::Context::park", "blocking::pool::Inner::run", "multi_thread::park::Inner::park", // Tokio
	"gomp_thread_start", "__kmp_launch_worker", "ThreadPoolImpl::Impl::BGThread",
	"start_wqthread", "_pthread_wqthread", "_dispatch_worker_thread", "_dispatch_worker_thread2", "_dispatch_kevent_worker_thread",
	"ConsumerSchedulerThread", "io_handler_thread", "srv_worker_thread", "srv_purge_coordinator_thread", "buf_flush_page_cleaner_thread",
}

// knownWaiters wait for something: a lock, an answer, the end of another.
var knownWaiters = []string{
	"pthread_mutex_lock", "pthread_mutex_timedlock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "pthread_join", "pthread_barrier_wait", // C
	"pthread_once", "lll_lock_wait", "lll_lock_wait_private", "sem_wait", "sem_timedwait", "system", "popen", "flockfile",
	"getaddrinfo", "gethostbyname", "gethostbyname_r", "gethostbyaddr", "getnameinfo", "res_send", "res_nsend", "res_context_send", "send_dg", "send_vc",
	"std::mutex::lock", "std::recursive_mutex::lock", "std::shared_mutex::lock", "std::thread::join", "std::condition_variable_any::wait", // C++
	"_Async_state_commonV2::_M_complete_async", "_State_baseV2::wait", "_State_baseV2::_M_complete_async", "_M_futex_wait_until",
	"boost::mutex::lock", "boost::thread::join", "thread::join_noexcept", "Mutex::LockSlow", "Mutex::Lock", "Mutex::Await", "Notification::WaitForNotification",
	"Mutex::lock", "Mutex::lock_contended", "RwLock::read_contended", "RwLock::write_contended", "RwLock::read", "RwLock::write", "Once::wait", // Rust
	"Once::call", "Barrier::wait", "JoinHandle::join", "JoinInner::join", "Thread::join", "Receiver::recv", "RawMutex::lock_slow", "RawRwLock::lock_shared_slow", "RawRwLock::lock_exclusive_slow",
	"Stdin::read_line", "Child::wait", "blocking::wait::timeout",
	"sync.(*Mutex).Lock", "sync.(*Mutex).lockSlow", "sync.(*RWMutex).Lock", "sync.(*RWMutex).RLock", "sync.(*WaitGroup).Wait", // Go
	"sync.(*Cond).Wait", "sync.(*Once).doSlow", "sync.runtime_SemacquireMutex", "internal/sync.runtime_SemacquireMutex", "runtime.stoplockedm", "runtime.semacquire1",
	"ObjectMonitor::enter", "ObjectMonitor::enter_internal", "ObjectMonitor::EnterI", "ObjectMonitor::ReenterI", "ObjectSynchronizer::enter", // Java
	"ObjectSynchronizer::jni_enter", "SharedRuntime::complete_monitor_locking_C", "ObjectLocker::ObjectLocker",
	"PyThread_acquire_lock", "PyThread_acquire_lock_timed", "take_gil", "rb_mutex_lock", "rb_native_mutex_lock", // Python, Ruby
	"LockAcquire", "LockAcquireExtended", "WaitOnLock", "ProcSleep", "XactLockTableWait", "MultiXactIdWait", "LWLockAcquire", "PGSemaphoreLock", // PostgreSQL
	"ProcWaitForSignal", "LockBufferForCleanup", "ConditionVariableSleep", "ConditionVariableTimedSleep", "pg_sleep", "SyncRepWaitForLSN",
	"WaitForParallelWorkersToFinish", "WaitForProcSignalBarrier", "gather_readnext", "shm_mq_receive", "CopyGetData", "ProcessStartupPacket",
	"MDL_context::acquire_lock", "MDL_wait::timed_wait", "lock_wait_suspend_thread", "sync_array_wait_event", "os_event_wait_low", // MySQL
	"PQexec", "PQexecParams", "PQexecPrepared", "PQgetResult", "PQconnectdb", "pqWait", "pqWaitTimed", "pqSocketCheck", // clients of databases
	"mysql_real_query", "mysql_real_connect", "cli_read_query_result", "vio_io_wait", "redisCommand", "redisGetReply", "redisConnect",
	"sqliteDefaultBusyCallback", "sqlite3_busy_handler", "mongoc_stream_poll", "mongoc_client_command_simple",
	"curl_easy_perform", "Curl_poll", "SSL_connect", "SSL_do_handshake", "ldap_result", "amqp_simple_wait_frame",
	"grpc_completion_queue_pluck", "CompletionQueue::Pluck", "internal::BlockingUnaryCallImpl", "grpc::internal::BlockingUnaryCallImpl", "ClientReader::Read", "ClientReaderWriter::Read",
	"_dispatch_sync_f_slow", "__DISPATCH_WAIT_FOR_QUEUE__", "_dispatch_semaphore_wait_slow", "dispatch_semaphore_wait", "_dispatch_group_wait_slow", // Apple
	"dispatch_group_wait", "_dispatch_once_wait", "dispatch_block_wait", "xpc_connection_send_message_with_reply_sync", "CFMessagePortSendRequest",
	"-[NSTask waitUntilExit]", "-[NSOperation waitUntilFinished]", "-[NSOperationQueue waitUntilAllOperationsAreFinished]", "-[NSConditionLock lockWhenCondition:]",
	"+[NSURLConnection sendSynchronousRequest:returningResponse:error:]", "-[NSLock lock]", "-[NSXPCConnection _sendInvocation:orArguments:count:methodSignature:selector:withProxy:]",
	"g_mutex_lock_slowpath", "g_thread_join", "g_dbus_connection_call_sync", "g_dbus_proxy_call_sync", "g_subprocess_wait", "g_subprocess_communicate", // GLib
	"g_spawn_sync", "g_rec_mutex_lock_slowpath", "dbus_connection_send_with_reply_and_block", "sd_bus_call",
	"QProcess::waitForFinished", "QThread::wait", "QAbstractSocket::waitForConnected", "QIODevice::waitForReadyRead", "QMutex::lockInternal", "QSemaphore::acquire", // Qt
	"uv_mutex_lock", "uv_thread_join", "uv_barrier_wait", "uv_sem_wait", "SyncProcessRunner::Spawn", "node::SyncProcessRunner::Spawn", // Node
	"gomp_mutex_lock_slow", "ngx_shmtx_lock", "MPI_Recv", "MPI_Wait", "MPI_Barrier", "ncclGroupEnd", "cuCtxSynchronize", "cudaDeviceSynchronize", "cuStreamSynchronize",
}
