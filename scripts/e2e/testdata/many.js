// Calls a function of its own after it has made many others: V8 writes of code to its
// jitdump in pieces of 2 MB.
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
fib(27);
for (let i = 0; i < 6000; i++) {
  new Function('a', `let s = ${i}; for (let k = 0; k < a; k++) s += k * ${i}; return s + "x${i}".length`)(3);
}
console.log('ready');
for (;;) fib(25);
