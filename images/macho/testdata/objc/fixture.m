// Objective-C of every kind that has methods, with root classes of its own: no SDK.
__attribute__((objc_root_class)) @interface Root { int n; }
+ (int)count;
- (int)first:(int)a second:(int)b;
- (void)run;
@end
@interface NSObject
@end
@interface NSString : NSObject
@end
int twice(int n);
static volatile int sink;
@implementation Root
+ (int)count { return sink + 1; }
+ (void)load { sink = 9; }
- (int)first:(int)a second:(int)b { sink = a; return twice(a) + b; }
- (void)run { sink = [Root count]; [self first:1 second:2]; }
@end
@interface Leaf : Root
@property int size;
@end
@implementation Leaf
- (void)run { [super run]; sink = 3; }
- (int)other { return [self first:sink second:4]; }
@end
@interface NSString (Paths)
- (int)isPath; + (int)paths;
@end
@implementation NSString (Paths)
- (int)isPath { return sink + 5; }
+ (int)paths { return sink + 6; }
@end
@interface Root (More)
- (int)more;
@end
@implementation Root (More)
- (int)more { return sink + 7; }
@end
// A class as the compiler of Swift names it.
__attribute__((objc_runtime_name("_TtC4shop5Clerk"))) @interface Clerk : Root
- (void)work;
@end
@implementation Clerk
- (void)work { sink = 8; }
@end
__attribute__((visibility("default"), noinline)) int twice(int n) { sink = n; return 2 * n; }
// The linker makes a stub of such a symbol that loads the selector.
int stub(id object, const char *selector) __asm__("_objc_msgSend$more");
__attribute__((noinline)) static int hidden(int n) { sink = n; return n * 3; }
__attribute__((visibility("default"))) int entry(Root *r) { [r run]; return hidden(sink) + [NSString paths] + stub(r, 0); }
