// Fifty functions, each of which calls the next, and the last of them end(how).
#ifndef CALLS_H
#define CALLS_H

static volatile unsigned long sink;

#define CALL(name, next) \
	__attribute__((noinline)) void name(int how) { next(how); sink++; }
#define TEN(t, after) \
	CALL(call##t##9, after) CALL(call##t##8, call##t##9) CALL(call##t##7, call##t##8) CALL(call##t##6, call##t##7) \
	CALL(call##t##5, call##t##6) CALL(call##t##4, call##t##5) CALL(call##t##3, call##t##4) CALL(call##t##2, call##t##3) \
	CALL(call##t##1, call##t##2) CALL(call##t##0, call##t##1)

__attribute__((noinline)) void end(int how);

TEN(4, end)
TEN(3, call40)
TEN(2, call30)
TEN(1, call20)
TEN(0, call10)

#endif
