#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static inline int inner(int x) { return x * 3 + (x >> 2); }
static inline int middle(int x) { int t = 0; for (int i = 0; i < x; i++) t += inner(i) ^ t; return t; }
static int __attribute__((noinline)) outer(int x) { return middle(x) + middle(x + 1); }
static inline void order(int *a, int n) { for (int i = 0; i < n; i++) for (int j = i; j < n; j++) if (a[i] > a[j]) { int t = a[i]; a[i] = a[j]; a[j] = t; } }
__attribute__((cold, noinline)) void fail(const char *s) { fprintf(stderr, "%s\n", s); abort(); }
int calc(int n) {
  int *a = malloc(sizeof *a * 32);
  if (!a) fail("memory");
  for (int i = 0; i < 32; i++) a[i] = outer(n + i) % 100;
  order(a, 32);
  int r = a[0] + (int)strlen("abc") * n;
  if (r == 77777) fail("luck");
  free(a);
  return r;
}
