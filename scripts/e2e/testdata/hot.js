// Computes for ever in one function, which Node compiles.
const hot = (n) => {
  let sum = 0;
  for (let i = 0; i < n; i++) sum = (sum * 31 + i) | 0;
  return sum;
};
hot(1e7);
console.log('ready');
for (;;) hot(1e8);
