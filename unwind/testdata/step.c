/* Calls of every kind that a walk must cross: leaf and deep, through the PLT, by
 * pointer, from libc, from a signal handler, with frames that are large, of
 * variable size or aligned anew, and ones that are left by longjmp. */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEEP __attribute__((noinline, noclone))

static volatile int sink;
static jmp_buf out;

KEEP static int leaf(int x) { return x * 3 + sink; }

KEEP static int large(int x) {
	volatile char big[9000];
	big[x & 4095] = (char)x;
	return leaf(x) + big[x & 4095];
}

KEEP static int variable(int n) {
	volatile char room[n];
	memset((char *)room, n, (size_t)n);
	return leaf(room[n - 1]) + large(n);
}

KEEP static int aligned(int x) {
	volatile int __attribute__((aligned(64))) v[16];
	v[x & 15] = leaf(x);
	return v[x & 15] + large(x);
}

KEEP static int many(int a, int b, int c, int d, int e, int f, int g, int h) {
	int s = leaf(a) + leaf(b);
	s += leaf(c) * d + leaf(e) * f;
	return s + leaf(g) + h;
}

KEEP static int recursive(int n) {
	if (n == 0)
		return aligned(n + 1);
	return recursive(n - 1) + many(n, 1, 2, 3, 4, 5, 6, 7);
}

KEEP static int compare(const void *a, const void *b) {
	return leaf(*(const int *)a) - leaf(*(const int *)b);
}

KEEP static void jumper(int n) {
	if (n == 0)
		longjmp(out, 1);
	jumper(n - 1);
	sink++;
}

KEEP static void handler(int sig, siginfo_t *info, void *context) {
	(void)info, (void)context;
	sink += recursive(2) + sig;
}

KEEP static void text(void) {
	char b[128];
	snprintf(b, sizeof b, "%s %d %.3f", "text", sink, 1.5);
	sink += (int)strlen(b);
}

KEEP static void heap(void) {
	char *p[8];
	for (int i = 0; i < 8; i++)
		p[i] = calloc(1, (size_t)1 << (2 * i + 4));
	for (int i = 0; i < 8; i++)
		free(p[i]);
}

KEEP static void sort(void) {
	int v[12];
	for (int i = 0; i < 12; i++)
		v[i] = (i * 7) % 12;
	qsort(v, 12, sizeof v[0], compare);
	sink += v[3];
}

int main(void) {
	struct sigaction sa;
	memset(&sa, 0, sizeof sa);
	sa.sa_sigaction = handler;
	sa.sa_flags = SA_SIGINFO;
	sigaction(SIGUSR1, &sa, NULL);
	sink += recursive(5) + variable(100);
	sort();
	raise(SIGUSR1);
	if (setjmp(out) == 0)
		jumper(4);
	text();
	heap();
	puts("done");
	return 0;
}
