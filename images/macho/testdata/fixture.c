/* What symbol look-up must tell apart. build.sh makes the fixtures of it. */
#include <stdio.h>
#include <stdlib.h>

int counter = 3;                       /* data: never a function */
static const char table[] = "table";   /* in __TEXT, but not code */

__attribute__((noinline)) static int hidden(int n) { return n * counter + (int)sizeof table; }
__attribute__((noinline, weak)) int overridable(int n) { return hidden(n) + 1; }
__attribute__((noinline)) int exported(int n) { return overridable(n) + hidden(n + 1); }
__attribute__((noinline, visibility("hidden"))) int internal(int n) { return exported(n) - 1; }

/* Three names for one place, of which the global one is to be preferred. */
__asm__(".text\n"
        ".p2align 4\n"
        "_aa_local:\n"
        "_zz_local:\n"
        ".globl _global\n"
        "_global:\n"
#if defined(__x86_64__)
        "  retq\n"
#else
        "  ret\n"
#endif
        ".globl _absolute\n"
        ".set _absolute, 0x1234\n");

int use(int n) {
	void *p = malloc((size_t)internal(n));
	puts(p ? "some" : "none");
	free(p);
	return n;
}

#ifdef MAIN
int main(int argc, char **argv) {
	(void)argv;
	return use(argc);
}
#endif
