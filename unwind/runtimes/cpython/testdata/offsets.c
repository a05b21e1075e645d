// Prints the offsets of the fields that layout.go has, by the headers of a CPython from 3.8 to
// 3.12. Compile with -I INCLUDE -I INCLUDE/internal.
#define Py_BUILD_CORE 1
#include <Python.h>
#include <stddef.h>
#include <stdio.h>
#include <pycore_pystate.h>
#if PY_VERSION_HEX >= 0x03090000
#include <pycore_interp.h>
#include <pycore_runtime.h>
#endif
#if PY_VERSION_HEX >= 0x030b0000
#include <pycore_frame.h>
#else
#include <code.h>
#include <frameobject.h>
#endif

#define OFFSET(name, type, field) printf("%s %zu\n", name, offsetof(type, field))
#define SIZE(name, type) printf("%s %zu\n", name, sizeof(type))

static void frames(void) {
#if PY_VERSION_HEX < 0x030b0000
	OFFSET("thread.frame", PyThreadState, frame);
	OFFSET("frame.code", PyFrameObject, f_code);
	OFFSET("frame.previous", PyFrameObject, f_back);
	OFFSET("frame.instr", PyFrameObject, f_lasti);
	SIZE("code.size", PyCodeObject);
#else
	OFFSET("thread.native", PyThreadState, native_thread_id);
	OFFSET("thread.frame", PyThreadState, cframe);
	OFFSET("cframe.next", _PyCFrame, current_frame);
	OFFSET("frame.code", _PyInterpreterFrame, f_code);
	OFFSET("frame.previous", _PyInterpreterFrame, previous);
	OFFSET("frame.instr", _PyInterpreterFrame, prev_instr);
	OFFSET("frame.owner", _PyInterpreterFrame, owner);
	OFFSET("code.qualname", PyCodeObject, co_qualname);
	OFFSET("code.firstTraceable", PyCodeObject, _co_firsttraceable);
	OFFSET("code.bytecode", PyCodeObject, co_code_adaptive);
	OFFSET("code.size", PyCodeObject, co_code_adaptive); // tp_basicsize
#endif
#if PY_VERSION_HEX >= 0x030b0000 && PY_VERSION_HEX < 0x030c0000
	OFFSET("frame.isEntry", _PyInterpreterFrame, is_entry);
#endif
}

int main(void) {
	OFFSET("head", _PyRuntimeState, interpreters.head);
	OFFSET("interp.next", PyInterpreterState, next);
#if PY_VERSION_HEX < 0x030b0000
	OFFSET("interp.threads", PyInterpreterState, tstate_head);
#else
	OFFSET("interp.threads", PyInterpreterState, threads.head);
#endif
	OFFSET("thread.next", PyThreadState, next);
	OFFSET("thread.interp", PyThreadState, interp);
	OFFSET("thread.handle", PyThreadState, thread_id);
	OFFSET("exceptions.handled", PyThreadState, exc_info);
	OFFSET("exceptions.value", _PyErr_StackItem, exc_value);
	OFFSET("exceptions.next", _PyErr_StackItem, previous_item);
#if PY_VERSION_HEX >= 0x030c0000
	OFFSET("exceptions.raised", PyThreadState, current_exception);
#else
	OFFSET("exceptions.raised", PyThreadState, curexc_type);
#endif
#if PY_VERSION_HEX >= 0x03090000
	OFFSET("collection.interp", PyInterpreterState, gc.collecting);
#else
	OFFSET("collection.runtime", _PyRuntimeState, gc.collecting);
#endif
	frames();
	OFFSET("code.name", PyCodeObject, co_name);
	OFFSET("code.filename", PyCodeObject, co_filename);
	OFFSET("code.firstLine", PyCodeObject, co_firstlineno);
#if PY_VERSION_HEX < 0x030a0000
	OFFSET("code.lines", PyCodeObject, co_lnotab);
#else
	OFFSET("code.lines", PyCodeObject, co_linetable);
#endif
	OFFSET("bytes.size", PyBytesObject, ob_base.ob_size);
	OFFSET("bytes.data", PyBytesObject, ob_sval);
	OFFSET("unicode.length", PyASCIIObject, length);
	OFFSET("unicode.state", PyASCIIObject, state);
	SIZE("unicode.ascii", PyASCIIObject);
	SIZE("unicode.compact", PyCompactUnicodeObject);
	OFFSET("object.kind", PyObject, ob_type);
	OFFSET("object.typeName", PyTypeObject, tp_name);
	OFFSET("object.typeSize", PyTypeObject, tp_basicsize);
	return 0;
}
