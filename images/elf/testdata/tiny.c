// The source of the libraries in this folder, made with zig cc 0.16 (clang):
//
//	for t in x86_64 aarch64 x86 arm thumb; do   # arm-linux-musleabihf, with -mthumb for thumb
//		zig cc -target $t-linux-musl -shared -nostdlib -O1 -fPIC -Wl,--build-id=sha1 -Wl,-z,lazy \
//			-fasynchronous-unwind-tables -o $t.so tiny.c
//		llvm-objcopy --strip-debug $t.so
//	done
extern int imported(int);
__attribute__((noinline)) static int hidden(int n) { return imported(n) + 1; }
__attribute__((noinline)) int outer(int n) { return hidden(n) * 3; }
int alias(int n) __attribute__((weak, alias("outer")));
__asm__(".text\n.globl label\n.type label, %notype\nlabel:\n.byte 0,0,0,0\n");
